#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""error-index.py [skeleton]: ids of the tool's errors and findings, from its sources: id, kind, exit codes, first text.

skeleton: rows for Documentation/errors.md of the ids that have none. An id stands in the sources as a string, at
the place of a parameter "const char *id" of a function, perhaps by way of a variable id or a member of that name.
"""
import glob
import os
import re
import sys

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
INDICES = ("Documentation/errors.md", "Documentation/zh_CN/errors.md")
LITERAL = re.compile(r'"([a-z0-9]+(?:-[a-z0-9]+)*)"')
FUNCTION = re.compile(r"^[a-z][\w \*]*?\b(\w+)\(([^;{}]*?)\)\s*[;{]", re.M | re.S)


def read(path):
    with open(os.path.join(TOP, path), encoding="utf-8") as file:
        return file.read()


def sources():
    for path in sorted(glob.glob(os.path.join(TOP, "user/**/*.[ch]"), recursive=True)):
        path = os.path.relpath(path, TOP)
        yield path, re.sub(r"/\*.*?\*/", "", read(path), flags=re.S)


def arguments(text, start):
    """Those of the call whose bracket opens before start."""
    found, word, depth, quoted, i = [], "", 1, False, start
    while i < len(text):
        c = text[i]
        if quoted:
            quoted = c != '"'
            if c == "\\":
                word += c
                i += 1
                c = text[i]
        elif c == '"':
            quoted = True
        elif c in "([{":
            depth += 1
        elif c in ")]}":
            depth -= 1
            if not depth:
                return found + [word.strip()]
        elif c == "," and depth == 1:
            found.append(word.strip())
            word = ""
            i += 1
            continue
        word += c
        i += 1
    return found


def takers(text):
    """Functions that report an error or a finding and have a parameter id: name and place."""
    for name, parameters in FUNCTION.findall(text):
        if "struct cxctl_error *" not in parameters and "struct doctor *" not in parameters:
            continue
        for place, parameter in enumerate(parameters.split(",")):
            if re.fullmatch(r"\s*const char \*id\s*", parameter):
                yield name, place


TABLE = re.compile(r"(?:struct (\w+)|\}) \w+\[\] = \{(.*?)\n\};", re.S)


def of_tables(text, structures, own=False):
    """The first words of rows, in tables of structures with a member id; in the own file, of unnamed ones, too."""
    for structure, rows_of in TABLE.findall(text):
        if structure in structures or (own and not structure):
            yield from re.findall(r'^\s*\{ "([a-z0-9-]+)",', rows_of, re.M)


def of_variable(path, texts):
    """What a variable or member id may hold: assigned, chosen, or in a table of the file or of its neighbours."""
    near = {name: text for name, text in texts.items() if os.path.dirname(name) == os.path.dirname(path)}
    structures = re.findall(r"struct (\w+) \{\s*const char \*id;", "".join(near.values()))
    for value in re.findall(r"\b\*?id = ([^;]*);", texts[path]):
        yield from LITERAL.findall(value)
    own = list(of_tables(texts[path], structures, True))
    yield from own
    if not own:
        named = [s for s in structures if re.search(rf"struct {s}\b", texts[path])]
        for text in near.values():
            yield from of_tables(text, named) if named else ()


def ids():
    """id: [kinds, exit codes, first text]."""
    found = {}
    texts = dict(sources())
    everywhere = {name: place for path, text in texts.items() if path.endswith(".h") for name, place in takers(text)}
    for path, text in texts.items():
        names = {**everywhere, **dict(takers(text))}
        for name, place in names.items():
            for call in re.finditer(rf"\b{name}\(", text):
                words = arguments(text, call.end())
                if len(words) <= place or re.match(r"(const char|enum|struct)\b", words[place]):
                    continue
                known = LITERAL.findall(words[place])
                if not known and words[place] != "id" and not re.search(r"(->|\.)id$", words[place]):
                    continue
                kind = "finding" if path.startswith("user/doctor/") and "CXCTL_" not in " ".join(words) else "error"
                for word in known or of_variable(path, texts):
                    entry = found.setdefault(word, [set(), set(), ""])
                    entry[0].add(kind)
                    entry[1].update(re.findall(r"CXCTL_[A-Z_]+", " ".join(words[:place])))
                    entry[2] = entry[2] or " ".join(words[place + 1:])[:160]
    return found


def exits():
    text = re.search(r"enum cxctl_exit \{(.*?)\}", read("user/base/error.h"), re.S)[1]
    return {name: number for name, number in re.findall(r"(CXCTL_\w+) = (\d+)", text)}


def rows(path):
    """First cells of an index, in their order: ids and exit codes."""
    return re.findall(r"^\| `([a-z0-9-]+)` \|", read(path), re.M)


def main():
    if sys.argv[1:] not in ([], ["skeleton"]):
        sys.exit(__doc__)
    numbers, known = exits(), set(rows(INDICES[0])) if sys.argv[1:] else set()
    for word, (kinds, codes, text) in sorted(ids().items()):
        if word not in known:
            print(f"| `{word}` | {', '.join(sorted(numbers[c] for c in codes))} | {'/'.join(sorted(kinds))} {text} |")


if __name__ == "__main__":
    main()
