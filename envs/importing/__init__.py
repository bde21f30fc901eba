"""Games from elsewhere: a foreign env is explored once and becomes a game file; after that none of its code runs.

`import_game("my_env.py:MyEnv")` answers with the stored game and a summary; `python -m envs import` writes the file.
"""

from envs.importing.endings import Convention
from envs.importing.explorer import Budget
from envs.importing.imported import Imported, import_game
from envs.importing.world import Refused

__all__ = ["Budget", "Convention", "Imported", "Refused", "import_game"]
