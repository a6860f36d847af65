"""Verify a masked file by its certificate without the program that made it.

It shares no code with constraint_sdc: plain Python, lxml, saxonche, and cryptography for the signature. It checks the
signature, the digests, the number of records, the groups of every block, and the rules, for the part of Schematron that
`compile_rules` understands. What it does not check, it says. It is short enough to be read before it is believed.

    python verify.py masked.xml --certificate masked.xml.certificate.json --rules census.sch --trust office.key.pub

Exit codes: 0 nothing is refuted; 1 something is; 2 a file cannot be read.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import json
import re
import sys
from collections import Counter
from pathlib import Path

from lxml import etree

XSL = "http://www.w3.org/1999/XSL/Transform"
SCHEMATRON = ("http://purl.oclc.org/dsdl/schematron", "http://www.ascc.net/xml/schematron")
KINDS = ("application/vnd.in-toto+json", "https://in-toto.io/Statement/v1", "urn:constraint-sdc:certificate:2")
XSI_NIL = "{http://www.w3.org/2001/XMLSchema-instance}nil"


class Findings:
    """What was found, printed as it is found."""

    refuted = 0

    def compare(self, what, certified, found):
        if certified == found:
            print(f"ok           {what}")
        else:
            self.refuse(f"{what}: certified {str(certified)[:80]}, found {str(found)[:80]}")

    def refuse(self, what):
        self.refuted += 1
        print(f"REFUTED      {what}")

    def leave(self, what):
        print(f"not checked  {what}")


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def read_json(data):
    def pairs(items):
        if len(dict(items)) < len(items):
            raise ValueError("a key is given twice")
        return dict(items)

    return json.loads(data.decode("utf-8"), object_pairs_hook=pairs)


def parsed(path):
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
    return etree.parse(str(path), parser).getroot()


def check_signature(findings, certificate, masked, trusted):
    """Verify a DSSE envelope: one Ed25519 signature of an in-toto statement about masked file and certificate."""
    envelope_file = certificate.with_suffix(".dsse.json")
    if trusted is None:
        return findings.leave("signature: " + ("no --trust" if envelope_file.exists() else "there is none"))
    if not envelope_file.exists():
        return findings.refuse("signature: the certificate is not signed")
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_pem_public_key

    key = load_pem_public_key(trusted.read_bytes())
    if not isinstance(key, Ed25519PublicKey):
        raise ValueError(f"{trusted} is not an Ed25519 key")
    envelope = read_json(envelope_file.read_bytes())
    kind, payload = envelope["payloadType"].encode(), base64.b64decode(envelope["payload"], validate=True)
    message = b"DSSEv1 %d %s %d %s" % (len(kind), kind, len(payload), payload)
    try:
        (only,) = envelope["signatures"]  # one signature, or ValueError
        key.verify(base64.b64decode(only["sig"], validate=True), message)
    except (InvalidSignature, ValueError):
        return findings.refuse("signature: not made by the trusted key for this payload")
    der = key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    findings.compare("signature by the trusted key", only["keyid"], hashlib.sha256(der).hexdigest())
    statement = read_json(payload)
    kinds = (envelope["payloadType"], statement["_type"], statement["predicateType"])
    findings.compare("signed is an in-toto statement about a certificate", kinds, KINDS)
    signed = [subject["digest"]["sha256"] for subject in statement["subject"]]
    for what, file, stated in zip(("masked file", "certificate"), (masked, certificate), signed, strict=True):
        findings.compare(f"signed digest of the {what}", stated, digest(file))
    return findings.compare("signed certificate", statement["predicate"], read_json(certificate.read_bytes()))


# The rules: Schematron to XSLT, for includes, abstract patterns, phases, keys, `let` in the schema and in rules.


class NotUnderstoodError(Exception):
    """A construct outside the part of Schematron that is compiled here."""


def elements(element):
    return [one for one in element if isinstance(one.tag, str)]  # not comments and processing instructions


def local(element):
    return etree.QName(element).localname


def children(element, name):
    return [one for one in elements(element) if local(one) == name and etree.QName(one).namespace in SCHEMATRON]


def rule_files(path):
    """Return the schema and every file that it includes, with the elements put in place of their inclusions."""
    schema, files = parsed(path), [path]
    for include in children(schema, "include"):
        name, _, fragment = include.get("href").partition("#")
        file = path.parent / name
        files.append(file)
        found = parsed(file)
        if fragment:
            found = next(one for one in found.iter(etree.Element) if one.get("id") == fragment)
        include.getparent().replace(include, found)
    return schema, list(dict.fromkeys(files))


def with_parameters(text, parameters):
    """Put the parameters of an abstract pattern in place of $name, the longest names first."""
    for name in sorted(parameters, key=len, reverse=True):
        text = re.sub(rf"\${re.escape(name)}(?![\w.-])", lambda _, name=name: parameters[name], text)
    return text


def active_patterns(schema, phase):
    """Return the concrete patterns of a phase, each with the pattern that it is made from and its parameters."""
    patterns = children(schema, "pattern")
    abstract = {one.get("id"): one for one in patterns if one.get("abstract") == "true"}
    concrete = [one for one in patterns if one.get("abstract") != "true"]
    if phase not in ("#ALL", None):
        chosen = next(one for one in children(schema, "phase") if one.get("id") == phase)
        ids = {one.get("pattern") for one in children(chosen, "active")}
        concrete = [one for one in concrete if one.get("id") in ids]
    for pattern in concrete:
        source = abstract[pattern.get("is-a")] if pattern.get("is-a") else pattern
        yield pattern, source, {one.get("name"): one.get("value") for one in children(pattern, "param")}


def name_of(assertion, rule, pattern):
    """Return the id under which an assertion is certified."""
    name = assertion.get("id") or rule.get("id") or pattern.get("id") or pattern.get("name") or pattern.get("is-a")
    return " ".join((name or "").split())


def compile_rules(schema, phase, original):
    """Return an XSLT stylesheet that writes one line `id TAB fired TAB failed` for each assertion."""
    if schema.get("queryBinding") not in ("xslt2", "xslt3"):
        raise NotUnderstoodError(f"the query binding {schema.get('queryBinding')!r}")
    if any(local(one) in ("include", "extends") for one in schema.iter(etree.Element)):
        raise NotUnderstoodError("an inclusion inside a pattern or an included file")
    spaces = {"xsl": XSL} | {one.get("prefix"): one.get("uri") for one in children(schema, "ns")}
    sheet = etree.Element(f"{{{XSL}}}stylesheet", nsmap=spaces, version="3.0")
    etree.SubElement(sheet, f"{{{XSL}}}output", method="text")
    for one in elements(schema):
        if one.tag == f"{{{XSL}}}key":
            sheet.append(etree.fromstring(etree.tostring(one, with_tail=False)))
        elif etree.QName(one).namespace not in SCHEMATRON:
            raise NotUnderstoodError(f"the element {one.tag}")
    for let in children(schema, "let"):
        add_variable(sheet, let, {}, original)
    main = etree.SubElement(sheet, f"{{{XSL}}}template", match="/", mode="main")
    sheet.set("default-mode", "main")
    names = []
    for number, (pattern, source, parameters) in enumerate(active_patterns(schema, phase)):
        names += compile_pattern(sheet, f"p{number}", pattern, source, parameters, original)
        found = etree.SubElement(main, f"{{{XSL}}}variable", name=f"p{number}")
        etree.SubElement(found, f"{{{XSL}}}apply-templates", select="/", mode=f"p{number}")
    if len(dict(names)) < len(names) or any(set("'{}") & set(name) for name, _ in names):
        raise NotUnderstoodError("assertions that share a name, or a name with quotation marks or braces")
    for name, mode in names:
        here = f"${mode}/fired[@name = '{name}']"
        text = f"string-join(('{name}', count({here}), count({here}[@failed = 'true'])), '\t') || '\n'"
        etree.SubElement(main, f"{{{XSL}}}value-of", select=text)
    return etree.tostring(sheet, encoding="unicode")


def add_variable(place, let, parameters, original):
    value = with_parameters(let.get("value"), parameters)
    if original is not None and let.get("name") == "original":
        value = f"doc('{original.resolve().as_uri()}')"
    etree.SubElement(place, f"{{{XSL}}}variable", name=let.get("name"), select=value)


def compile_pattern(sheet, mode, pattern, source, parameters, original):
    """Add the templates of a pattern, whose first rule that matches a node takes it; yield its assertions and mode."""
    walk = etree.SubElement(sheet, f"{{{XSL}}}template", match="/|@*|node()", mode=mode, priority="-1")
    etree.SubElement(walk, f"{{{XSL}}}apply-templates", select="@*|node()", mode=mode)
    rules = children(source, "rule")
    for place, rule in enumerate(rules):
        if rule.get("abstract") == "true" or children(source, "let"):
            raise NotUnderstoodError("an abstract rule, or let in a pattern")
        how = {"match": with_parameters(rule.get("context"), parameters), "priority": str(len(rules) - place)}
        template = etree.SubElement(sheet, f"{{{XSL}}}template", how, mode=mode)
        for let in children(rule, "let"):
            add_variable(template, let, parameters, original)
        for assertion in [*children(rule, "assert"), *children(rule, "report")]:
            test = with_parameters(assertion.get("test"), parameters)
            failed = f"not({test})" if local(assertion) == "assert" else f"boolean({test})"
            name = name_of(assertion, rule, pattern)
            etree.SubElement(template, "fired", name=name, failed=f"{{{failed}}}")
            yield name, mode
        etree.SubElement(template, f"{{{XSL}}}apply-templates", select="@*|node()", mode=mode)


def run_rules(stylesheet, masked):
    """Return how often each assertion was checked and how often it failed, by Saxon."""
    from saxonche import PySaxonProcessor

    with PySaxonProcessor(license=False) as saxon:
        compiled = saxon.new_xslt30_processor().compile_stylesheet(stylesheet_text=stylesheet)
        text = compiled.transform_to_string(source_file=str(masked.resolve()))
    lines = (line.split("\t") for line in (text or "").splitlines() if line)
    return {name: (int(fired), int(failed)) for name, fired, failed in lines}


def check_rules(findings, certificate, masked, rules, original):
    certified = sorted(entry["sha256"] for entry in certificate["inputs"] if entry["role"] == "rules")
    if not certified:
        return findings.leave("rules: the certificate names none")
    if certificate["options"]["phase"] not in ("#ALL", None):
        findings.leave(f"rules outside phase {certificate['options']['phase']}, which the certificate names")
    schema, files = rule_files(rules)
    findings.compare(f"digests of {len(files)} files of rules", certified, sorted(map(digest, files)))
    try:
        found = run_rules(compile_rules(schema, certificate["options"]["phase"], original), masked)
    except NotUnderstoodError as problem:
        return findings.leave(f"rules: {problem} is not understood here")
    for rule in certificate["rules"]:
        counts = (rule["checked"], rule["failed"])
        findings.compare(f"rule {rule['rule']}: checked, broken", counts, found.pop(rule["rule"], None))
    return [findings.refuse(f"rule {name}: in the rules, but not certified") for name in found]


def value(record, name):
    """Return the text of a variable; None, and a mark for nil, are no texts."""
    if name.startswith("@"):
        return record.get(name[1:])
    found = next((one for one in elements(record) if local(one) == name), None)
    if found is None:
        return None
    return ("nil",) if found.get(XSI_NIL) in ("true", "1") else found.xpath("string()")


def check_groups(findings, certificate, masked):
    """Count the records, which are the children of the root, and those that share the values of a block."""
    records = elements(parsed(masked))
    if len({one.tag for one in records}) > 1:
        return findings.leave("records and groups: the root has children of several names")
    findings.compare("number of records", certificate["output"]["records"], len(records))
    for block, plan in zip(certificate["blocks"], certificate["plan"]["blocks"], strict=True):
        names = block["variables"]
        smallest = min(Counter(tuple(value(record, name) for name in names) for record in records).values(), default=0)
        findings.compare(f"block {block['number']} ({', '.join(names)}): smallest group", block["smallest"], smallest)
        if not plan["shares"]:
            findings.leave(f"block {block['number']}: the masker promises no group size")
        elif smallest < certificate["options"]["k"]:
            findings.refuse(f"block {block['number']}: {smallest} share values, k is {certificate['options']['k']}")
    return None


def main():
    parser = argparse.ArgumentParser(description="Verify a masked file without the program that made it.")
    parser.add_argument("masked", type=Path)
    parser.add_argument("--certificate", type=Path, required=True)
    parser.add_argument("--rules", type=Path, required=True)
    parser.add_argument("--original", type=Path, help="what a rule's variable $original stands for")
    parser.add_argument("--trust", type=Path, help="public key that must have signed the certificate")
    given, findings = parser.parse_args(), Findings()
    try:
        check_signature(findings, given.certificate, given.masked, given.trust)
        certificate = read_json(given.certificate.read_bytes())
        findings.compare("digest of the masked file", certificate["output"]["sha256"], digest(given.masked))
        check_rules(findings, certificate, given.masked, given.rules, given.original)
        check_groups(findings, certificate, given.masked)
        findings.leave("everything else in the certificate: plan, losses, what was before masking, versions")
    except Exception as problem:
        print(f"cannot verify: {type(problem).__name__}: {problem}", file=sys.stderr)
        sys.exit(2)
    print(f"\n{findings.refuted} statements refuted" if findings.refuted else "\nnothing refuted")
    sys.exit(1 if findings.refuted else 0)


if __name__ == "__main__":
    main()
