/* SPDX-License-Identifier: MIT */
/* Numbers as people read them: three figures, no more. */
(function (L) {
  const figures = (value, count) => Number(value.toPrecision(count)).toLocaleString("en", {
    maximumFractionDigits: 6, useGrouping: Math.abs(value) >= 10000 });

  L.known = (value) => typeof value === "number" && Number.isFinite(value);
  L.number = (value) => (L.known(value) ? figures(value, 3) : "–");
  L.ms = (value) => (!L.known(value) ? "never" : value >= 999.5 ? `${figures(value / 1000, 3)} s` :
    `${figures(value, 3)} ms`);
  L.percent = (share) => (L.known(share) ? `${figures(share * 100, 2)}\u00a0%` : "–");
  L.bits = function (value) {
    if (!L.known(value) || !value)
      return L.known(value) ? "0" : "–";
    const unit = value >= 1e9 ? ["G", 1e9] : value >= 1e6 ? ["M", 1e6] : value >= 1e3 ? ["k", 1e3] : ["", 1];
    return `${figures(value / unit[1], 3)} ${unit[0]}bit`;
  };
  L.rate = (value) => (L.known(value) ? `${L.bits(value)}/s` : "–");
  L.seconds = (value) => (value < 1 ? L.ms(value * 1000) : `${figures(value, 3)} s`);
  L.joined = (words) => (words.length < 2 ? words.join("") :
    `${words.slice(0, -1).join(", ")} and ${words[words.length - 1]}`);
  L.many = (count, word) => `${count} ${word}${count === 1 ? "" : "s"}`;
  L.file = (name) => name.replace(/^.*\//, "");
  L.stem = (name) => L.file(name).replace(/\..*$/, "");
})(livetcp);
