// Check a standard rule against the vectors: coins, rows and the laws of blocks.
//
//     node reader.js [FOLDER]     FOLDER holds coin.json, rows.json and law.json
//
// Prints the ids of the vectors that fail, then how many passed; exit code 1 if any failed. Put
// your own rule in the place of the functions below. Nothing but Node's own modules.
"use strict";
const fs = require("fs");
const path = require("path");

const LEFT_OUT = []; // flags that your conventions differ from, such as "final-inverse-cdf"

// The probability with which a draft x, drawn from q, is accepted.
function acceptance(p, q, x) {
  return Math.min(1, p[x] / q[x]);
}

// The law after a rejection; null where nothing is left, and no rejection can be.
function residual(p, q) {
  const left = p.map((value, x) => Math.max(0, value - q[x]));
  const total = left.reduce((sum, value) => sum + value, 0);
  return total > 0 ? left.map((value) => value / total) : null;
}

// The first id whose cumulative probability exceeds the coin.
function inverted(law, coin) {
  let reached = 0;
  let last = 0;
  for (let x = 0; x < law.length; x++) {
    if (law[x] > 0) last = x; // where rounding keeps the sum below the coin
    reached += law[x];
    if (coin < reached) return x;
  }
  return last;
}

// The ids of one round at given coins.
function block(targetRows, draftRows, drafts, accept, final) {
  for (let j = 0; j < drafts.length; j++) {
    const p = targetRows[j], q = draftRows[j], coin = accept[j];
    if (!(coin < acceptance(p, q, drafts[j]))) {
      return [...drafts.slice(0, j), inverted(residual(p, q) || [], final)];
    }
  }
  return [...drafts, inverted(targetRows[drafts.length], final)];
}

// The law of one round for given drafts, by the same functions; keys are ids with spaces between.
function law(targetRows, draftRows, drafts) {
  const found = {};
  const add = (ids, mass) => { found[ids.join(" ")] = (found[ids.join(" ")] || 0) + mass; };
  let reached = 1;
  drafts.forEach((x, j) => {
    const p = targetRows[j], q = draftRows[j];
    const accepted = acceptance(p, q, x);
    (residual(p, q) || []).forEach((probability, y) =>
      add([...drafts.slice(0, j), y], reached * (1 - accepted) * probability));
    reached *= accepted;
  });
  targetRows[drafts.length].forEach((probability, y) => add([...drafts, y], reached * probability));
  return found;
}

const near = (a, b) => (a === null) === (b === null) && (a === null || Math.abs(a - b) <= 1e-12);

function passes(kind, given, expect) {
  const floats = (rows) => (rows || []).map((row) => row.float);
  const rows = [floats(given.target_rows), floats(given.draft_rows)];
  if (kind === "coin") {
    const accept = given.coins.accept.map((coin) => coin.float);
    const ids = block(...rows, given.drafts, accept, given.coins.final.float);
    return ids.join(" ") === expect.ids.join(" ");
  }
  if (kind === "law") {
    const due = Object.fromEntries(expect.law.map((x) => [x.ids.join(" "), x.probability.float]));
    const found = law(...rows, given.drafts);
    return Object.keys({ ...due, ...found }).every((ids) => near(found[ids] ?? 0, due[ids] ?? 0));
  }
  const p = given.target_row.float, q = given.draft_row.float;
  const accepted = p.map((_, x) => (q[x] > 0 ? acceptance(p, q, x) : null));
  const left = residual(p, q), due = expect.residual && expect.residual.float;
  return (left === null) === (due === null) &&
    accepted.every((value, x) => near(value, expect.acceptance.float[x])) &&
    (left || []).length === (due || []).length &&
    (left || []).every((value, x) => near(value, due[x]));
}

const folder = process.argv[2] || path.join(__dirname, "..");
const read = (kind) => JSON.parse(fs.readFileSync(path.join(folder, `${kind}.json`))).vectors;
const chosen = ["coin", "rows", "law"].flatMap((kind) => read(kind).map((v) => ({ kind, ...v })))
  .filter((v) => v.result === "valid" && (v.kind !== "law" || v.given.rule === "standard"))
  .filter((v) => !v.flags.some((flag) => LEFT_OUT.includes(flag)));
const failed = chosen.filter((v) => !passes(v.kind, v.given, v.expect));
failed.forEach((v) => console.log(v.id));
console.log(`${chosen.length - failed.length} of ${chosen.length} vectors passed`);
process.exitCode = failed.length || !chosen.length ? 1 : 0;
