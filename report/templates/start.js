// Draws the sections of a game, and opens the page.

function draw(panel, game) {
  if (!game.arrays) return;
  const playFrom = drawPlay(panel.querySelector("[data-play]"), game);
  drawMap(panel.querySelector("[data-map]"), game, playFrom);
  drawBlunders(panel.querySelector("[data-blunders]"), game);
}

document.documentElement.classList.add("scripted");
startTheme();
startTabs();
