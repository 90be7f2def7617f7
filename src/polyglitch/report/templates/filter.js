"use strict";
(() => {
  const form = document.getElementById("filter");
  const text = document.getElementById("filter-text");
  const method = document.getElementById("filter-method");
  const count = document.getElementById("filter-count");
  const cards = Array.from(document.querySelectorAll("article.card"), (element) => ({
    element,
    methods: JSON.parse(element.dataset.methods),
    words: element.textContent.toLowerCase(),
  }));
  const apply = () => {
    const wanted = text.value.trim().toLowerCase();
    let shown = 0;
    for (const card of cards) {
      const fits =
        (!method.value || card.methods.includes(method.value)) && card.words.includes(wanted);
      card.element.hidden = !fits;
      shown += fits ? 1 : 0;
    }
    count.textContent = `${shown} of ${cards.length} shown`;
  };
  form.addEventListener("submit", (event) => event.preventDefault());
  text.addEventListener("input", apply);
  method.addEventListener("change", apply);
  form.hidden = cards.length < 2;
  apply();
})();
