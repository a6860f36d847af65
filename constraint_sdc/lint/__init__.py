"""The rule set itself is checked: contradictions, redundancy, traps of XPath, rules that data never exercise."""
