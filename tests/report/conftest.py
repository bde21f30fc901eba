"""One browser for all tests of a file."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from docs.make.screenshots import ARGUMENTS
from tests.books import need


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=need("chromium"), args=ARGUMENTS)
        yield browser
        browser.close()
