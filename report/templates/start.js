// Draws the sections of a game, and opens the page.

function draw(panel, game, index) {
  if (!game.arrays) return;
  const playFrom = drawPlay(panel.querySelector("[data-play]"), game);
  positions.set(index, drawMap(panel.querySelector("[data-map]"), game, playFrom, panel.id));
  drawBlunders(panel.querySelector("[data-blunders]"), game);
}

document.documentElement.classList.add("scripted");
startTheme();
startTabs();
