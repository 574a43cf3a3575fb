"""Prompts of our own words, 32 of code and 32 of English, for tests and measurements.

None of them is in the text that drafters are trained on.
"""

from __future__ import annotations

from typing import Literal

Kind = Literal["code", "english", "mixed"]

_CODE = (
    'def mean(values):\n    """The arithmetic mean of a list of numbers."""\n    return',
    "def is_prime(number):\n    if number < 2:\n        return False\n    for divisor in range(2,",
    "class Stack:\n    def __init__(self):\n        self.items = []\n\n    def push(self, item):\n",
    'import sys\n\ndef main(arguments):\n    if len(arguments) != 2:\n        print("usage:',
    "def read_lines(path):\n    with open(path) as file:\n        for line in file:\n",
    'def reverse_words(sentence):\n    words = sentence.split()\n    return " ".join(',
    "for row in range(8):\n    for column in range(8):\n        if (row + column) % 2 == 0:\n",
    "def factorial(n):\n    if n == 0:\n        return 1\n    return n *",
    "try:\n    value = int(text)\nexcept ValueError as error:\n    print(",
    'class Account:\n    """A bank account with a balance."""\n\n    def deposit(self, amount):\n',
    "def count_vowels(text):\n    total = 0\n    for letter in text:\n        if letter in",
    "numbers = [3, 1, 4, 1, 5, 9, 2, 6]\nlargest = numbers[0]\nfor number in numbers:\n    if",
    "def binary_search(items, wanted):\n    low, high = 0, len(items)\n    while low < high:\n",
    "import math\n\ndef distance(a, b):\n    return math.sqrt((a[0] - b[0]) ** 2 +",
    "def fibonacci(count):\n    a, b = 0, 1\n    for _ in range(count):\n        yield",
    "class Rectangle:\n    def __init__(self, width, height):\n        self.width = width\n",
    "def merge(left, right):\n    merged = []\n    while left and right:\n        if left[0] <",
    'prices = {"apple": 3, "bread": 2, "milk": 1}\ntotal = 0\nfor name, price in',
    "def test_addition():\n    assert add(2, 3) == 5\n    assert add(-1, 1) ==",
    "import random\n\ndef roll(dice, sides=6):\n    return [random.randint(1,",
    'def celsius(fahrenheit):\n    """Convert a temperature to degrees Celsius."""\n',
    'with open("scores.txt") as file:\n    scores = [int(line) for line in',
    "def flatten(nested):\n    result = []\n    for item in nested:\n        if isinstance(item,",
    "class Node:\n    def __init__(self, value, next=None):\n        self.value = value\n",
    "def word_counts(text):\n    counts = {}\n    for word in text.lower().split():\n",
    "def clamp(value, low, high):\n    if value < low:\n        return low\n    if",
    "from dataclasses import dataclass\n\n@dataclass\nclass Point:\n    x: float\n",
    "def transpose(matrix):\n    rows = len(matrix)\n    columns = len(matrix[0])\n    return",
    "def greatest_common_divisor(a, b):\n    while b:\n        a, b =",
    'while True:\n    answer = input("Continue? [y/n] ")\n    if answer ==',
    "def remove_duplicates(items):\n    seen = set()\n    unique = []\n    for item in items:\n",
    "import json\n\ndef load_settings(path):\n    with open(path) as file:\n        return",
)

_ENGLISH = (
    "The library is open from Monday to Friday. On Saturdays it closes at noon, and on Sundays",
    "To install the program, first download the archive and unpack it. Then open a terminal and",
    "Water boils at one hundred degrees Celsius at sea level. At higher altitudes, it boils",
    "A list is an ordered collection of items. You can add an item to the end of a list with",
    "The history of the town begins in the middle ages, when a small group of farmers",
    "Dear Anna,\n\nThank you for your letter. I was very happy to hear that you",
    "There are three kinds of errors in a program: syntax errors, runtime errors, and",
    "Photosynthesis is the process by which plants turn light into energy. During this process",
    "The function returns a new string in which every occurrence of the old value",
    "Once upon a time, in a small house at the edge of the forest, there lived",
    "When you write a test, begin with the simplest case. After that, think about the cases where",
    "The moon goes around the earth in about twenty-seven days. Because of this",
    "If the file does not exist, an error is raised. Otherwise, the contents of the file are",
    "Our company offers a wide range of services for small businesses. These include",
    "A good night's sleep is important for your health. Most adults need",
    "The difference between a process and a thread is that a process has its own",
    "Bread is made from flour, water, salt and yeast. First, mix the flour with",
    "The following options are available:\n\n- help: show this message and exit\n- version:",
    "In this chapter we look at the way in which computers store numbers. An integer is stored as",
    "The committee met on Tuesday to discuss the new plan for the park. Several members said that",
    "Machine learning is a field of computer science. Its programs learn from data. For example,",
    "The cat sat by the window and watched the rain. It had been raining for",
    "Please read the instructions carefully before you use the machine. Do not",
    "An important property of a sorting algorithm is whether it is stable. This means that",
    "The train to the coast leaves every hour. The journey takes about two hours and",
    "Exercise has many benefits. It makes the heart stronger, it improves sleep, and it",
    "This module provides classes for working with dates and times. The most important class is",
    "The teacher asked the students to write about their holidays. One of them wrote that",
    "To change your password, go to the settings page and click on",
    "Climate is the average weather of a place over many years. It depends on",
    "A dictionary maps keys to values. Each key may occur only once, and to look up a value you",
    "The old bridge was closed last year because it was no longer safe. The new bridge",
)


def prompts(kind: Kind, n: int) -> list[str]:
    """The first ``n`` prompts of a kind; "mixed" takes code and English in turn.

    Raises:
        ValueError: for another kind, or more than there are.
    """
    mixed = tuple(prompt for both in zip(_CODE, _ENGLISH, strict=True) for prompt in both)
    kinds = {"code": _CODE, "english": _ENGLISH, "mixed": mixed}
    if kind not in kinds:
        raise ValueError(f"{kind!r} is no kind of prompts; there are {', '.join(kinds)}")
    listed = kinds[kind]
    if not 0 <= n <= len(listed):
        raise ValueError(f"there are {len(listed)} prompts of kind {kind}, not {n}")
    return list(listed[:n])
