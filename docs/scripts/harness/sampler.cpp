// A verification rule as a harness for `draftproof audit --harness ./sampler`.
//   g++ -std=c++17 -O2 -o sampler sampler.cpp
// Reads one JSON object a line, answers with one a line; see docs/harness.md.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

using Row = std::vector<double>;
using Rows = std::vector<Row>;

// ---- the rule ---------------------------------------------------------------------------------

// Uniform numbers in [0, 1), in the order in which they are asked for.
struct Tape {
  Row coins;
  size_t next = 0;
  double operator()() {
    if (next == coins.size()) throw std::runtime_error("the tape of coins is at its end");
    return coins[next++];
  }
};

// The id whose part of the cumulative sum holds u; the last one with any mass if rounding leaves a gap.
int inverse(const Row& weights, double u) {
  double total = 0, sum = 0;
  for (double mass : weights) total += mass;
  int last = -1;
  for (int id = 0; id < static_cast<int>(weights.size()); id++) {
    if (weights[id] != 0) last = id;
    sum += weights[id] / total;
    if (u < sum) return id;
  }
  return last;
}

// Algorithm 5: the accepted drafts, then one id.
std::vector<int> verify(const Rows& target, const Rows& draft, const std::vector<int>& drafts,
                        Tape coin) {
  std::vector<int> ids;
  for (size_t j = 0; j < drafts.size(); j++) {
    const Row &p = target[j], &q = draft[j];
    const int x = drafts[j];
    const double u = coin();
    if (u * q[x] < p[x]) {
      ids.push_back(x);
      continue;
    }
    Row residual(p.size());
    for (size_t id = 0; id < p.size(); id++) residual[id] = std::max(0.0, p[id] - q[id]);
    const double v = coin();
    ids.push_back(inverse(residual, v));
    return ids;
  }
  ids.push_back(inverse(target[drafts.size()], coin()));
  return ids;
}

// ---- JSON, as much as is needed ---------------------------------------------------------------

struct Json {
  double number = 0;
  std::string text;
  bool is_text = false;
  std::vector<Json> list;
  std::map<std::string, Json> members;
};

struct Reader {
  const std::string& line;
  size_t at = 0;

  char peek() {
    while (at < line.size() && line[at] == ' ') at++;
    if (at == line.size()) throw std::runtime_error("the line ends too early");
    return line[at];
  }
  void expect(char c) {
    if (peek() != c) throw std::runtime_error(std::string("no ") + c + " where one is due");
    at++;
  }
  std::string text() {
    expect('"');
    const size_t end = line.find('"', at);  // requests hold no escapes
    if (end == std::string::npos) throw std::runtime_error("a text does not end");
    std::string found = line.substr(at, end - at);
    at = end + 1;
    return found;
  }
  Json value() {
    Json found;
    const char c = peek();
    if (c == '"') {
      found.text = text();
      found.is_text = true;
    } else if (c == '[') {
      for (at++; peek() != ']';) {
        found.list.push_back(value());
        if (peek() == ',') at++;
      }
      at++;
    } else if (c == '{') {
      for (at++; peek() != '}';) {
        const std::string name = text();
        expect(':');
        found.members[name] = value();
        if (peek() == ',') at++;
      }
      at++;
    } else {
      char* end = nullptr;
      found.number = std::strtod(line.c_str() + at, &end);
      if (end == line.c_str() + at) throw std::runtime_error("a value that is no number");
      at = end - line.c_str();
    }
    return found;
  }
};

Row row_of(const Json& json) {
  Row row;
  for (const Json& each : json.list) {
    if (each.is_text) throw std::runtime_error("a row holds no finite number");
    row.push_back(each.number);
  }
  return row;
}

Rows rows_of(const Json& json) {
  Rows rows;
  for (const Json& each : json.list) rows.push_back(row_of(each));
  return rows;
}

std::vector<int> ids_of(const Json& json, size_t count) {
  std::vector<int> ids;
  for (size_t j = 0; j < count; j++) ids.push_back(static_cast<int>(json.list[j].number));
  return ids;
}

std::string written(const std::vector<int>& ids) {
  std::string text = "[";
  for (size_t j = 0; j < ids.size(); j++) text += (j ? "," : "") + std::to_string(ids[j]);
  return text + "]";
}

// ---- the protocol -----------------------------------------------------------------------------

std::string answer(Json& request) {
  const std::string what = request.members["do"].text;
  Json &p = request.members["target_rows"], &q = request.members["draft_rows"];
  Json &drafts = request.members["drafts"], &coins = request.members["coins"];
  if (what == "start") return "\"name\":\"cpp-sampler\"";
  if (what == "capabilities")
    return "\"kinds\":[\"rule\",\"batch_rule\"],\"coins\":[[\"tape\",\"K+1\",\"uniform\"]]";
  if (what == "rule")
    return "\"ids\":" + written(verify(rows_of(p), rows_of(q), ids_of(drafts, drafts.list.size()),
                                       Tape{row_of(coins)}));
  if (what == "batch_rule") {
    std::string lists;
    const std::vector<Json>& lengths = request.members["lengths"].list;
    for (size_t b = 0; b < lengths.size(); b++)
      lists += (b ? "," : "") +
               written(verify(rows_of(p.list[b]), rows_of(q.list[b]),
                              ids_of(drafts.list[b], static_cast<size_t>(lengths[b].number)),
                              Tape{row_of(coins.members["tape"].list[b])}));
    return "\"ids\":[" + lists + "]";
  }
  throw std::runtime_error("no request is called " + what);
}

int main() {
  std::string line;
  while (std::getline(std::cin, line)) {
    Json request = Reader{line}.value();
    if (request.members["do"].text == "stop") break;
    std::string said;
    try {
      said = answer(request);
    } catch (const std::exception& problem) {
      said = std::string("\"error\":\"") + problem.what() + "\"";
    }
    std::cout << "{\"id\":" << static_cast<long>(request.members["id"].number) << "," << said << "}"
              << std::endl;
  }
}
