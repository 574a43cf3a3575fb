// Check a standard rule against the vectors: coins, rows and the laws of blocks.
//     c++ -std=c++17 -O1 reader.cpp -o reader && ./reader FOLDER
// FOLDER (.. unless given) holds coin.txt, rows.txt and block.txt. Prints the ids of the vectors
// that fail, then how many passed; exit code 1 if any failed. Put your rule in place of `block`.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <iostream>
#include <vector>
using Row = std::vector<double>;
using Rows = std::vector<Row>;  // one for each position
using Ids = std::vector<int>;

// The probability with which a draft x, drawn from q, is accepted.
double acceptance(const Row& p, const Row& q, int x) { return std::min(1.0, p[x] / q[x]); }

// The law after a rejection; empty where nothing is left, and no rejection can be.
Row residual(const Row& p, const Row& q) {
  Row left(p.size());
  double total = 0;
  for (size_t x = 0; x < p.size(); x++) total += left[x] = std::max(0.0, p[x] - q[x]);
  for (double& value : left) value /= total;
  return total > 0 ? left : Row();
}

// The first id whose cumulative probability exceeds the coin.
int inverted(const Row& law, double coin) {
  double reached = 0;
  int last = 0;
  for (int x = 0; x < int(law.size()); x++) {
    if (law[x] > 0) last = x;  // where rounding keeps the sum below the coin
    if (coin < (reached += law[x])) return x;
  }
  return last;
}

// The ids of one round at given coins.
Ids block(const Rows& ps, const Rows& qs, const Ids& drafts, const Row& accept, double final) {
  Ids out;
  for (int x : drafts) {
    const Row &p = ps[out.size()], &q = qs[out.size()];
    bool accepted = accept[out.size()] < acceptance(p, q, x);
    out.push_back(accepted ? x : inverted(residual(p, q), final));
    if (!accepted) return out;
  }
  out.push_back(inverted(ps[drafts.size()], final));
  return out;
}

// The probability of a block, by the same functions: all of its ids but the last were accepted.
double law(const Rows& ps, const Rows& qs, const Ids& drafts, const Ids& ids) {
  double reached = 1, j = ids.size() - 1;
  for (size_t i = 0; i < j; i++) reached *= acceptance(ps[i], qs[i], drafts[i]);
  if (j == drafts.size()) return reached * ps[j][ids[j]];
  Row left = residual(ps[j], qs[j]);
  return left.empty() ? 0 : reached * (1 - acceptance(ps[j], qs[j], drafts[j])) * left[ids[j]];
}

template <class T> std::vector<T> read(std::istream& in, size_t count) {
  std::vector<T> out(count);
  for (T& value : out) in >> value;
  return out;
}
int read(std::istream& in) { return read<int>(in, 1)[0]; }
bool near(double x, double y) { return std::abs(x - y) <= 1e-12; }

bool passes(const std::string& kind, std::istream& in) {
  size_t size = read(in), count = kind == "rows" ? 0 : read(in);
  Rows ps, qs;
  while (ps.size() < count + 1) ps.push_back(read<double>(in, size));
  while (qs.size() < (kind == "rows" ? 1 : count)) qs.push_back(read<double>(in, size));
  Ids drafts = read<int>(in, count);
  if (kind == "coin") {
    Row accept = read<double>(in, count), final = read<double>(in, 1);
    Ids due = read<int>(in, read(in));
    return block(ps, qs, drafts, accept, final[0]) == due;
  }
  bool good = true;
  for (int n = kind == "block" ? read(in) : 0; n > 0; n--) {
    Ids ids = read<int>(in, read(in));
    good = near(law(ps, qs, drafts, ids), read<double>(in, 1)[0]) && good;
  }
  if (kind == "block") return good;
  for (size_t x = 0; x < size; x++)
    good = near(qs[0][x] > 0 ? acceptance(ps[0], qs[0], x) : -1, read<double>(in, 1)[0]) && good;
  Row left = residual(ps[0], qs[0]), due = read<double>(in, read(in) ? size : 0);
  return good && std::equal(left.begin(), left.end(), due.begin(), due.end(), near);
}

int main(int count, char** arguments) {
  int tried = 0, failed = 0;
  for (std::string name : {"coin", "rows", "block"}) {
    std::ifstream file(std::string(count > 1 ? arguments[1] : "..") + "/" + name + ".txt");
    for (std::string kind, id; file >> kind >> id; tried++)
      if (!passes(kind, file)) failed++, std::cout << id << "\n";
  }
  std::cout << tried - failed << " of " << tried << " vectors passed\n";
  return failed || !tried;
}
