"""What the name of a variable suggests, in several languages. A name never makes anything certain."""

from __future__ import annotations

import re
import unicodedata
from enum import Enum

_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_a-zA-Z]+")


class NameHint(Enum):
    """What a name suggests; the value is the word for it in reasons."""

    IDENTIFIER = "identifier"
    HOUSEHOLD = "household"
    WEIGHT = "weight"
    YEAR = "year"
    MONTH = "month"
    CODE = "code"
    TEXT = "free text"
    KNOWN = "characteristic that others know"
    SENSITIVE = "sensitive characteristic"
    MEASURE = "measure of SDMX"
    PERIOD = "period of SDMX"


_WORDS: dict[NameHint, str] = {
    NameHint.IDENTIFIER: """
        id ids ident identifier uid uuid guid key serial record pid persid personid hhid hid caseid case rowid recid
        idno idnr persnr personnr pnr nr no num number nummer numer numero nombre numéro matricule matricola matricula
        identifiant identificador identificatore kennung kennziffer kennnummer laufnummer sequence seq index
        name names surname lastname firstname forename fullname vorname nachname familienname nom prenom prénom nombres
        apellido apellidos cognom cognoms nome cognome sobrenome naam achternaam voornaam navn efternavn namn nimi
        ssn nino nif dni nie cpf tin vat siren siret bsn pesel ahv svnr sozialversicherungsnummer passport
        email mail phone telephone telefon telefono tel mobile address adresse direccion indirizzo street strasse iban
        account konto licence license plate url ip""",
    NameHint.HOUSEHOLD: """
        hh hhid hid household haushalt hogar menage ménage famille family familie llar nucleo dwelling wohnung vivienda
        huishouden hushåll husholdning""",
    NameHint.WEIGHT: """
        weight weights wt wgt wght pweight pw fweight fnlwgt gewicht gewichtung hochrechnungsfaktor hrf hochrechnung
        poids pond ponderation peso factor faktor facteur fattore fator elevacion expansion vikt vægt""",
    NameHint.YEAR: "year yr yyyy jahr geburtsjahr annee année ano año anno jaar år birthyear",
    NameHint.MONTH: "month monat mois mes mese maand måned månad",
    NameHint.CODE: """
        code codes cod kode codigo código codi codice class klasse classification type typ kind category kategorie cat
        status flag nace isic sic naics isco soc occ occupation ind industry icd isced nuts lau fips puma zip zipcode
        plz postal postcode postleitzahl cp region county canton kanton state province provincia district municipality
        gemeinde commune municipio comuna stratum strata psu cluster ward tract block country land pays pais país paese
        sex gender geschlecht sexe sexo sesso relat relation relationship verwandtschaft parentesco
        unitmult""",
    NameHint.TEXT: "comment comments remark remarks note notes text description bemerkung kommentar beschreibung",
    NameHint.KNOWN: """
        age alter edad edat eta età âge idade leeftijd ålder sex gender geschlecht sexe sexo sesso region county canton
        state province municipality gemeinde commune municipio district zip plz postcode country land birth birthdate
        birthyear dob geburt geburtsdatum geburtsjahr naissance nacimiento nascita marital married civil familienstand
        occupation occ beruf profession ocupacion education schooling bildung ausbildung nationality
        nationalität citizenship children kinder employees beschäftigte size industry nace branch branche""",
    NameHint.SENSITIVE: """
        diagnosis diagnose diagnostic diagnostico icd disease illness krankheit health gesundheit hiv religion
        ethnicity race party partei vote income einkommen salary wage lohn gehalt revenu ingresos renta turnover
        umsatz profit gewinn debt schulden""",
    NameHint.MEASURE: "obsvalue",
    NameHint.PERIOD: "timeperiod",
}


def _plain(word: str) -> str:
    """Return the word in small letters without accents."""
    apart = unicodedata.normalize("NFKD", word.casefold())
    return "".join(letter for letter in apart if not unicodedata.combining(letter))


_HINTS = {hint: frozenset(map(_plain, words.split())) for hint, words in _WORDS.items()}
_LAST_WORDS = """
    no nr num number nummer numero nombre index record case name nom nome key account konto address street plate mobile
    land country state region class block type kind status stratum cluster ward ind"""
_AT_THE_END = frozenset(_LAST_WORDS.split())
"""Words that suggest something only as the last one: `number_of_children` is a count, `land_value` an amount."""


def words_of(name: str) -> tuple[str, ...]:
    """Return the words of a name, without namespace and "@".

    >>> words_of("PersonNr"), words_of("HHIncome"), words_of("@utility_id"), words_of("{urn:x}AÑO_2")
    (('person', 'nr'), ('hh', 'income'), ('utility', 'id'), ('ano',))
    """
    plain = unicodedata.normalize("NFC", name.rpartition("}")[2].lstrip("@"))
    ascii_only = "".join(unicodedata.normalize("NFKD", letter)[0] for letter in plain)
    return tuple(_plain(part) for part in _PARTS.findall(ascii_only))


def name_hints(name: str) -> frozenset[NameHint]:
    """Return everything that the name suggests.

    >>> sorted(hint.value for hint in name_hints("household_no"))
    ['household', 'identifier']
    >>> name_hints("number_of_rooms")
    frozenset()
    """
    words = words_of(name)
    whole = "".join(words)
    counted = {word for word in words[:-1] if word not in _AT_THE_END} | {*words[-1:], whole}
    return frozenset(hint for hint, known in _HINTS.items() if counted & known)
