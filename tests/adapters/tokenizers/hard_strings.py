"""Strings on which tokenizers differ, or fail to give a text back; each with what is hard in it."""

from __future__ import annotations

HARD: dict[str, tuple[str, ...]] = {
    "plain": ("", "a", "Hello", "Hello world", "The quick brown fox.", "don't we'll I'VE"),
    "spaces": (
        *(" ", "  ", "   ", " a", "a ", "  a  b  ", "a" + " " * 40 + "b", " " * 130),
        *("a\u00a0b", "a\u3000b", "a\u2009\u200ab", "\u00a0", "\ufeffa", "a\u200bb"),
    ),
    "lines": (
        *("\n", "\r\n", "\r", "\n\n\n", "a\nb", "a\r\nb\r\n", "a \n b", "\n" * 33),
        *("a\u2028b", "a\u2029b", "a\x0bb\x0cc", "a\x85b"),
    ),
    "tabs": ("\t", "\t\t\ta", "a\tb\t", " \t \t"),
    "controls": ("\x00", "a\x00b", "\x01\x02\x03", "\x1b[0m", "\x7f", "\x13\x14\x16", "a\x1db"),
    "marks": (
        *("\u2581", "\u2581\u2581a", "a\u2581b", " \u2581 ", "\u0120", "a\u0120b\u010a"),
        *("##ing", "a##b", "</w>", "a</w>b", "<0x0A>", "<0xFF>"),
    ),
    "specials": (
        *("<s>", "</s>", "a</s>b", "<|endoftext|>", "x<|im_end|>y", "<|eot_id|>", "<bos><eos>"),
        *("[CLS] [SEP]", "[UNK]", "<unk>", "<pad>", "<EOT>", "[INST]", "<unused0>", "<mask>"),
    ),
    "composition": (
        *("\u00e9", "e\u0301", "\u0301", "a\u0301\u0323", "a\u0323\u0301", "\u212b", "\u2126"),
        *("\uac00", "\u1100\u1161", "\u1100\u1161\u11a8", "\u1112\u1161\u11ab\u1100\u1173\u11af"),
    ),
    "compatibility": (
        *("\ufb01n", "\ufb03", "\u2460", "\u00bd", "x\u00b2", "\uff21\uff22", "\u2122", "\u2026"),
        *("\u338f", "\u017f", "\u0130", "\u1e9e"),
    ),
    "scripts": (
        *("\u4f60\u597d\u4e16\u754c", "\u3053\u3093\u306b\u3061\u306f", "\u30ab\u3099"),
        *("\u05e9\u05dc\u05d5\u05dd", "\u0645\u0631\u062d\u0628\u0627", "\u202eabc\u202c"),
        *("\u0928\u092e\u0938\u094d\u0924\u0947", "\u0e2a\u0e27\u0e31\u0e2a\u0e14\u0e35"),
        *(
            "\u041f\u0440\u0438\u0432\u0435\u0442",
            "\u0391\u03b8\u03ae\u03bd\u03b1\u03c2",
            "\U00012000",
        ),
    ),
    "emoji": (
        *("\U0001f600", "\U0001f44d\U0001f3fd", "\U0001f468\u200d\U0001f469\u200d\U0001f467"),
        *("\U0001f1e9\U0001f1ea", "\u2764\ufe0f", "1\ufe0f\u20e3", "a\U0001f600b"),
    ),
    "digits": ("0", "12", "1234567890", "3.14", "1,000,000", "\u0661\u0662\u0663", "1e-9"),
    "case": ("HELLO", "iPhone", "stra\u00dfe", "\u01c5"),
    "long": ("a" * 300, "Donaudampfschifffahrtsgesellschaft", "-" * 100, "ab" * 80, "\u597d" * 60),
    "edges": ("\ufffd", "a\ufffdb", "\uffff", "\U0010ffff", "\ue000", "\u0080", "\u07ff\u0800"),
    "code": (
        "def f(x):\n    return x\n",
        "<a href='#'>&amp;</a>",
        "C:\\a\\b",
        "{[(<>)]}",
        "''\"``",
    ),
}

ALL: tuple[str, ...] = tuple(text for texts in HARD.values() for text in texts)
