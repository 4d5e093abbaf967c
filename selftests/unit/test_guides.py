#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
The guides' commands are those that selftests/vm/guides.sh runs: all of them, in their order, no others; and a document in
another language has the commands and the links of the English one, in their order. KTAP.
"""
import difflib
import os
import re
import sys

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
GUIDES = ("Documentation/oem-card.md", "Documentation/recovery.md")
TEST = "selftests/vm/guides.sh"
# A line of a listing, or what stands between backquotes in a text; the name of a command alone is no command.
COMMAND = re.compile(r"^ {4}((?:cxctl|tar|modprobe) .+)$|`(cxctl \w+ [^`]+|(?:tar|modprobe) [^`]+)`", re.M)
LANGUAGES = ("zh_CN",)
# A command of any program, listed or told; what explains it comes after two blanks or a "#".
ANY_COMMAND = re.compile(r"^ {4}(?:\$ )?((?:%(names)s)(?: .+)?)$|`(?:\$ )?((?:%(names)s)(?: [^`]+)?)`" %
                         {"names": r"cxctl|sudo|make|tar|modprobe|sh|dnf|yum|apt-get|apt|rpm|dpkg|mokutil|openssl|kysec_set|"
                                   r"getstatus|depmod|dmesg|cat|uname|modinfo|mount|rebuild-modules|ls|nkvers"}, re.M)
LINK = re.compile(r"\]\((?!http)([^)#]+)")
SUBCOMMAND = re.compile(r"cxctl image \w+$")


def read(path):
    with open(os.path.join(TOP, path), encoding="utf-8") as file:
        return file.read()


def commands(text):
    found = [listed or told for listed, told in COMMAND.findall(text)]
    return [command for command in found if not SUBCOMMAND.match(command)]


def all_commands(text):
    return [re.split(r"\s{2,}|\s+# ", listed or told)[0] for listed, told in ANY_COMMAND.findall(text)]


def translations():
    for language in LANGUAGES:
        directory = os.path.join(TOP, "Documentation", language)
        for name in sorted(os.listdir(directory)):
            for english in (f"Documentation/{name}", name):
                if os.path.exists(os.path.join(TOP, english)):
                    yield english, f"Documentation/{language}/{name}"
                    break


def dead_links(path):
    directory = os.path.dirname(os.path.join(TOP, path))
    return [link for link in LINK.findall(read(path)) if not os.path.exists(os.path.join(directory, link))]


def wrong_terms(language):
    """Words that the glossary forbids, in the catalogue and in the documents of a language."""
    glossary = f"Documentation/{language}/terms.md"
    words = re.findall(r"^\| (\S+) \| \S+ \|$", read(glossary).rpartition("|---|---|")[2], re.M)
    papers = [f"po/{language}.po"] + [path for _, path in translations() if path != glossary]
    found = [f"{path}: {word}" for path in papers for word in words if word in read(path).replace('"\n"', "")]
    return found if len(words) > 5 else ["the glossary forbids nothing"]


def compare(name, wanted, found, one, other, number):
    good = wanted == found
    if not good:
        for line in difflib.unified_diff(wanted, found, one, other, lineterm="", n=1):
            print(f"# {line}")
    print(f"{'ok' if good else 'not ok'} {number} {name}")
    return good


def tested():
    """The commands of each guide in the test; a heading says whose they are."""
    guide, found = None, {name: [] for name in GUIDES}
    for line in read(TEST).splitlines():
        heading = re.match(r"# --- ([\w-]+\.md)", line)
        command = re.match(r'\s*line \S+ "([^"]+)"', line)
        if heading:
            guide = "Documentation/" + heading.group(1)
        elif command:
            found[guide].append(command.group(1))
    return found


def main():
    run, pairs = tested(), list(translations())
    papers = sorted({path for pair in pairs for path in pair} | {path for _, path in pairs} |
                    {f"Documentation/{language}/{name}" for language in LANGUAGES
                     for name in os.listdir(os.path.join(TOP, "Documentation", language))})
    number, good = 0, True
    print(f"KTAP version 1\n1..{len(GUIDES) + len(pairs) + len(papers) + len(LANGUAGES)}")
    for guide in GUIDES:
        number += 1
        wanted = commands(read(guide))
        good &= compare(f"every command of {guide} is run", wanted, run[guide] if len(wanted) > 10 else [], guide, TEST, number)
    for english, path in pairs:
        number += 1
        good &= compare(f"{path} has the commands of {english}", all_commands(read(english)), all_commands(read(path)),
                        english, path, number)
    for path in papers:
        number += 1
        good &= compare(f"every link of {path} leads somewhere", [], dead_links(path), path, "dead", number)
    for language in LANGUAGES:
        number += 1
        good &= compare(f"{language}: one word for one thing", [], wrong_terms(language), "glossary", "found", number)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
