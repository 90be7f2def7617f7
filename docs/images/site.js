// A table that goes on beyond the edge is reached by keyboard, too: the arrow keys scroll it.
addEventListener("load", () => {
  const watcher = new ResizeObserver(entries => {
    for (const { target } of entries) {
      if (target.scrollWidth > target.clientWidth) {
        target.tabIndex = 0;
        target.role = "group";
        target.ariaLabel = "Table, scrolls sideways";
      } else {
        for (const name of ["tabindex", "role", "aria-label"]) target.removeAttribute(name);
      }
    }
  });
  for (const table of document.querySelectorAll(".md-typeset__scrollwrap")) watcher.observe(table);
});
