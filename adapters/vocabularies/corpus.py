"""Text that tokenizers are tried on: prose in several scripts, code, numbers, symbols, white space.

The passages were written for this project. They are short, since they are cut at every character,
and weigh nothing in particular: measure on your own text with ``--corpus`` before you decide.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product
from pathlib import Path

#: Characters of a passage read from a file, at most: one is encoded once for each place to cut it.
PASSAGE = 400


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of text, and the section of the corpus that it counts for."""

    section: str
    text: str


_ENGLISH = """\
The baker on our street opens at six, and by half past the queue already reaches the corner. She
knows most people by name, and the rest by what they buy: two rye loaves for the teacher, a single
roll for the man with the grey dog. Nobody minds waiting. It's warm inside, it smells of crust and
coffee, and there is always somebody who hasn't heard yesterday's news.
When the mill closed in 1987 she didn't think the shop would last another year. "Flour doesn't walk
here by itself," her father used to say; so she learned to drive the van, found a farmer
forty-three miles north, and has gone there every second Thursday since. Unremarkable, perhaps, but
the bread's better."""

_PYTHON = '''\
def running_mean(values, width=5):
    """Yield the mean of the last `width` values."""
    window = []
    for index, value in enumerate(values):
        window.append(float(value))
        if len(window) > width:
            window.pop(0)
        if value != value or value is None:
            raise ValueError(f"value {index} is not a number: {value!r}")
        yield sum(window) / len(window)


class HTTPRequestCounter(dict):
    def __missing__(self, key):
        self[key] = 0x7FFF_0000 if key.startswith("_") else -1
        return self[key]
'''

_C_AND_JSON = """\
#include <stdio.h>
static unsigned long total_bytes = 0UL;
int main(int argc, char **argv) {
\tfor (int i = 1; i < argc; ++i) {
\t\tif (argv[i][0] == '-' && argv[i][1] != '\\0') continue;
\t\ttotal_bytes += (unsigned long)(i << 3) & ~0x0fUL;
\t}
\treturn printf("%lu\\n", total_bytes) < 0;
}
{"id": 48213, "tags": ["north", "gate_7"], "open": true, "ratio": 1.25e-3, "note": null,
 "url": "https://example.org/a/b?x=1&y=%20z#top", "sizes": {"min": [0, -1], "max": [640, 480]}}
"""

_NUMBERS = """\
Total 1234567.89, of which 12% (148,148.15) is due on 2031-04-17 at 09:05; 22/7 is not
3.14159265358979. 1 22 333 4444 55555 666666 7777777 88888888; phone 020 7946 0018; 0.1 + 0.2 =
0.30000000000000004; 10^-9 < 6.02e23; x1=7, y12=-40; room 3B, chapter XIV, 5 × 4 = 20, ½ cup,
37 °C, €19.99, 4K, H2O, 1st, 22nd."""

_SPACES = (
    "name\tage\tcity\n\nAnn\t34\tLeeds\nBo\t9\tYork\n\n\n"
    "  two spaces,   three,    four;        eight.\n"
    "trailing spaces   \n\ttab, then text\r\nand a Windows line end\r\n \n"
    "no-break\u00a0space, thin\u2009space, ideographic\u3000space\n"
    "                                end"
)

_SYMBOLS = (
    "Good morning 🙂! Lunch at 🍜🍣? My family 👩\u200d👩\u200d👧 and the flag 🇳🇿 say 👍🏽.\n"
    "∀x ∈ ℝ: x² ≥ 0 ⇒ √(x²) = |x|; a ≠ b → α·β ≤ γ… “quoted” — ‘so’ «ici» †‡ §4 №7 ™ ® ♞ ⚙ ☂\n"
    "┌──┬──┐ ▁▂▃▅▇ ●○◆ ﬁne ﬂat ｆｕｌｌ ① Ⅳ e\u0301 n\u0303 \u200bzero"
)

_SECTIONS = {
    "English": _ENGLISH,
    "code": f"{_PYTHON}\n{_C_AND_JSON}",
    "numbers": _NUMBERS,
    "white space": _SPACES,
    "symbols": _SYMBOLS,
    "German": (
        "Die Bäckerin in unserer Straße öffnet um sechs, und kurz danach reicht die Schlange "
        "schon bis zur Ecke. Die meisten kennt sie beim Namen, die übrigen an dem, was sie kaufen. "
        "Niemand hat etwas gegen das Warten: drinnen ist es warm, und Gesprächsstoff gibt es genug."
    ),
    "French": (
        "La boulangère de notre rue ouvre à six heures, et bientôt la file va jusqu'au coin. Elle "
        "connaît presque tout le monde par son prénom ; les autres, à ce qu'ils achètent. Personne "
        "n'est pressé : là-dedans il fait chaud, ça sent la croûte et le café."
    ),
    "Vietnamese": (
        "Tiệm bánh trên phố tôi mở cửa lúc sáu giờ sáng, và chỉ nửa tiếng sau người xếp hàng đã "
        "đến góc đường. Bà chủ nhớ tên gần hết khách quen; không ai ngại phải chờ."
    ),
    "Russian": (
        "Пекарня на нашей улице открывается в шесть, и через полчаса очередь уже стоит до угла. "
        "Хозяйка знает почти всех по имени, остальных узнаёт по тому, что они берут. Ждать никто "
        "не против: внутри тепло и пахнет кофе."
    ),
    "Greek": (
        "Ο φούρνος στον δρόμο μας ανοίγει στις έξι και σε μισή ώρα η ουρά φτάνει ως τη γωνία. "
        "Κανέναν δεν πειράζει να περιμένει· μέσα έχει ζέστη και μυρίζει καφέ."
    ),
    "Arabic": (
        "يفتح المخبز في شارعنا عند السادسة صباحا، وبعد نصف ساعة يصل الصف إلى الزاوية. "
        "لا أحد يتضايق من الانتظار، ففي الداخل دفء ورائحة قهوة."
    ),
    "Hebrew": "המאפייה ברחוב שלנו נפתחת בשש, וכעבור חצי שעה התור מגיע עד לפינה. אף אחד לא ממהר.",
    "Hindi": (
        "हमारी गली की बेकरी सुबह छह बजे खुलती है और आधे घंटे में कतार मोड़ तक पहुँच जाती है। "
        "किसी को इंतज़ार करना बुरा नहीं लगता।"
    ),
    "Thai": "ร้านขนมปังในซอยของเราเปิดตอนหกโมงเช้า อีกครึ่งชั่วโมงคนก็ต่อแถวยาวไปถึงหัวมุม ไม่มีใครรีบ",
    "Chinese": (
        "我们街上的面包店六点开门，半个小时以后队伍就排到了拐角。老板娘叫得出大多数人的名字，"
        "剩下的人她看他们买什么就认得。没有人嫌等得久，店里暖和，有咖啡的香味。"
    ),
    "Japanese": (
        "うちの通りのパン屋は六時に開き、三十分もすると列が角まで伸びる。店の人はほとんどの客の"
        "名前を覚えている。待つのをいやがる人はいない。中は暖かく、コーヒーの香りがする。"
    ),
    "Korean": (
        "우리 동네 빵집은 여섯 시에 문을 열고, 반 시간이면 줄이 모퉁이까지 이어진다. "
        "기다리는 것을 싫어하는 사람은 없다. 안은 따뜻하고 커피 냄새가 난다."
    ),
}


def passages(section: str, text: str) -> tuple[Passage, ...]:
    """``text`` cut into passages of at most `PASSAGE` characters, at ends of lines where it can be.

    Their texts joined are ``text`` again.
    """
    found: list[str] = []
    for line in re.findall(r"[^\n]*\n|[^\n]+", text):
        for start in range(0, len(line), PASSAGE):
            piece = line[start : start + PASSAGE]
            if found and len(found[-1]) + len(piece) <= PASSAGE:
                found[-1] += piece
            else:
                found.append(piece)
    return tuple(Passage(section, each) for each in found)


#: The built-in corpus.
CORPUS: tuple[Passage, ...] = tuple(
    passage for section, text in _SECTIONS.items() for passage in passages(section, text)
)


def read_corpus(path: str | Path) -> tuple[Passage, ...]:
    """The passages of a UTF-8 text file; the section is the file's name.

    Raises:
        ValueError: for a file that is empty or not UTF-8.
        OSError: for a file that cannot be read.
    """
    path = Path(path)
    try:
        text = path.read_bytes().decode()
    except UnicodeDecodeError as problem:
        raise ValueError(
            f"{path} is not UTF-8 text: byte {problem.object[problem.start]:#04x} at offset "
            f"{problem.start}"
        ) from None
    if not text:
        raise ValueError(f"{path} is empty: there is no text to measure")
    return passages(path.name, text)


#: Letters of a corpus made for small vocabularies, and the length of its longest texts.
LETTERS, LONGEST = 4, 5


def every_text(*vocabularies: Iterable[bytes | None]) -> tuple[Passage, ...]:
    """All texts of up to `LONGEST` of the first `LETTERS` characters of small vocabularies."""
    known = {
        character
        for vocabulary in vocabularies
        for text in vocabulary
        for character in (text or b"").decode(errors="ignore")
    }
    letters = sorted(known)[:LETTERS]
    return tuple(
        Passage(f"all texts up to {LONGEST} letters", "".join(each))
        for length in range(1, LONGEST + 1)
        for each in product(letters, repeat=length)
    )
