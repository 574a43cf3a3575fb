// A verification rule as a harness for `draftproof audit --harness "node sampler.mjs"`.
// Reads one JSON object a line, answers with one a line; see docs/harness.md.
import readline from "node:readline";

const out = (message) => process.stdout.write(JSON.stringify(message) + "\n");

// Algorithm 5: the accepted drafts, then one id. `coin` gives the next uniform number in [0, 1).
function verify(targetRows, draftRows, drafts, coin) {
  const ids = [];
  for (let j = 0; j < drafts.length; j++) {
    const p = targetRows[j], q = draftRows[j], x = drafts[j];
    const u = coin();
    if (u * q[x] < p[x]) {
      ids.push(x);
      continue;
    }
    const residual = p.map((mass, id) => Math.max(0, mass - q[id]));
    const v = coin();
    return [...ids, inverse(residual, v)];
  }
  return [...ids, inverse(targetRows[drafts.length], coin())];
}

// The id whose part of the cumulative sum holds u; the last one with any mass if rounding leaves a gap.
function inverse(weights, u) {
  const total = weights.reduce((sum, mass) => sum + mass, 0);
  let sum = 0, last = -1;
  for (let id = 0; id < weights.length; id++) {
    if (weights[id] !== 0) last = id;
    sum += weights[id] / total;
    if (u < sum) return id;
  }
  return last;
}

function checked(rows) {
  if (!rows.flat(Infinity).every(Number.isFinite)) throw new Error("a row holds no finite number");
  return rows;
}

function tape(coins) {
  let next = 0;
  return () => {
    if (next === coins.length) throw new Error("the tape of coins is at its end");
    return coins[next++];
  };
}

function answer(request) {
  switch (request.do) {
    case "start":
      return { name: "javascript-sampler" };
    case "capabilities":
      return { kinds: ["rule", "batch_rule"], coins: [["tape", "K+1", "uniform"]] };
    case "rule": {
      const { target_rows: p, draft_rows: q, drafts, coins } = request;
      return { ids: verify(checked(p), checked(q), drafts, tape(coins)) };
    }
    case "batch_rule": {
      const { target_rows: p, draft_rows: q, drafts, lengths, coins } = request;
      const ids = lengths.map((length, b) =>
        verify(checked(p)[b], checked(q)[b], drafts[b].slice(0, length), tape(coins.tape[b])));
      return { ids };
    }
    default:
      throw new Error(`no request is called ${request.do}`);
  }
}

for await (const line of readline.createInterface({ input: process.stdin })) {
  const request = JSON.parse(line);
  if (request.do === "stop") break;
  try {
    out({ id: request.id, ...answer(request) });
  } catch (problem) {
    out({ id: request.id, error: String(problem.message) });
  }
}
