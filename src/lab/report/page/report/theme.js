/* SPDX-License-Identifier: MIT */
/* Light or dark, as the reader's system has it until the button says otherwise; paper is light.
 * Colours of series are those of Okabe and Ito, which every kind of colour vision tells apart, a bit
 * darker or lighter where the background wants it. A name has one colour on the whole page. */
(function (L) {
  const colours = {
    light: ["#0072b2", "#d55e00", "#00805f", "#b3508a", "#3d9ad1", "#b07d00", "#6a4fa3", "#4a4f57"],
    dark: ["#58aee8", "#ff8c42", "#2fc79b", "#e58fc0", "#9ad4f7", "#f0c24b", "#b9a3ec", "#b8c0c9"],
  };
  const names = [], listeners = [];
  const system = matchMedia("(prefers-color-scheme: dark)");
  let chosen = null, printing = false;

  const theme = () => (printing ? "light" : chosen || (system.matches ? "dark" : "light"));
  function apply() {
    document.documentElement.dataset.theme = theme();
    document.getElementById("theme").textContent = theme() === "dark" ? "Light" : "Dark";
    for (const listener of listeners)
      listener();
  }

  L.theme = {
    start() {
      document.getElementById("theme").addEventListener("click", () => {
        chosen = theme() === "dark" ? "light" : "dark";
        apply();
      });
      system.addEventListener("change", apply);
      addEventListener("beforeprint", () => { printing = true; apply(); });
      addEventListener("afterprint", () => { printing = false; apply(); });
      apply();
    },
    onChange: (listener) => listeners.push(listener),
    is: theme,
    printing: () => printing,
    css: (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim(),
    /* Says the order in which names get their colours. */
    reserve(list) {
      for (const name of list)
        if (!names.includes(name))
          names.push(name);
    },
    /* Of a name, or the n-th. What is computed is grey beside what was measured. */
    colour(name) {
      if (typeof name === "number")
        return colours[theme()][name % colours.light.length];
      if (/^model\b/.test(name))
        return L.theme.css("--soft");
      L.theme.reserve([name]);
      return colours[theme()][names.indexOf(name) % colours.light.length];
    },
  };
})(livetcp);
