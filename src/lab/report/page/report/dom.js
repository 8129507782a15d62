/* SPDX-License-Identifier: MIT */
/* Making elements. Everything of this page hangs below `livetcp`; text is set as text, so that
 * nothing in a file can become markup. */
const livetcp = {};

(function (L) {
  L.el = function (name, attributes, ...children) {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes || {}))
      if (key.startsWith("on"))
        element.addEventListener(key.slice(2), value);
      else if (value !== null && value !== undefined && value !== false)
        element.setAttribute(key, value);
    element.append(...children.filter((child) => child !== null && child !== undefined));
    return element;
  };

  /* A table: columns and rows of texts, elements or null; the first of a row is its heading. */
  L.table = function (columns, rows, kind) {
    const head = L.el("tr", null, ...columns.map((text) => L.el("th", { scope: "col" }, text)));
    const body = rows.map((row) => L.el("tr", null, ...row.map((cell, i) =>
      i ? L.el("td", null, cell ?? "–") : L.el("th", { scope: "row" }, cell ?? ""))));
    return L.el("div", { class: "scroll" }, L.el("table", { class: kind || null },
      L.el("thead", null, head), L.el("tbody", null, ...body)));
  };

  /* Buttons of which one is pressed; `choose` is called with its name. */
  L.choice = function (names, chosen, choose, label) {
    const buttons = names.map((name) => L.el("button", {
      type: "button", "aria-pressed": name === chosen, onclick: () => {
        for (const button of buttons)
          button.setAttribute("aria-pressed", button.textContent === name);
        choose(name);
      },
    }, name));
    return L.el("div", { class: "choice", role: "group", "aria-label": label }, ...buttons);
  };

  /* Numbers in place of a chart: [[value, what it is], ...]. */
  L.figure = (id, title, sentence, numbers) => L.el("figure", { "data-chart": id, "data-drawn": numbers.length },
    L.el("h3", null, title), sentence ? L.el("p", null, sentence) : null,
    L.el("div", { class: "numbers" }, ...numbers.map(([value, what]) => L.el("div", null, L.el("strong", null, value),
      what ? L.el("span", null, what) : null))));

  L.section = function (id, title, what) {
    return L.el("section", { id }, L.el("h2", null, title), what ? L.el("p", { class: "what" }, what) : null);
  };
})(livetcp);
