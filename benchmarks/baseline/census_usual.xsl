<?xml version="1.0" encoding="UTF-8"?>
<!-- The baseline: the five census rules as Schematron processors usually transpile them. One mode per pattern, a
     fired-rule for every match, SVRL out. Two favours are done to it: records are numbered by an accumulator instead of
     path() (which counts preceding siblings, so is quadratic in findings), and the value domain is a key instead of
     index-of (quadratic in records). -->
<xsl:stylesheet version="3.0"
    xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:xs="http://www.w3.org/2001/XMLSchema"
    xmlns:svrl="http://purl.oclc.org/dsdl/svrl" expand-text="yes">
  <xsl:param name="original" as="document-node()"/>
  <xsl:output indent="no"/>
  <xsl:mode use-accumulators="number" on-no-match="shallow-skip"/>
  <xsl:accumulator name="number" as="xs:integer" initial-value="0">
    <xsl:accumulator-rule match="Record" select="$value + 1"/>
  </xsl:accumulator>
  <xsl:key name="value" match="Record" use="string(V1)"/>

  <xsl:template match="/">
    <svrl:schematron-output title="census">
      <svrl:active-pattern id="linear"/><xsl:apply-templates select="*" mode="linear"/>
      <svrl:active-pattern id="product"/><xsl:apply-templates select="*" mode="product"/>
      <svrl:active-pattern id="interval"/><xsl:apply-templates select="*" mode="interval"/>
      <svrl:active-pattern id="condition"/><xsl:apply-templates select="*" mode="condition"/>
      <svrl:active-pattern id="domain"/><xsl:apply-templates select="*" mode="domain"/>
    </svrl:schematron-output>
  </xsl:template>

  <xsl:mode name="linear" on-no-match="shallow-skip" use-accumulators="number"/>
  <xsl:mode name="product" on-no-match="shallow-skip" use-accumulators="number"/>
  <xsl:mode name="interval" on-no-match="shallow-skip" use-accumulators="number"/>
  <xsl:mode name="condition" on-no-match="shallow-skip" use-accumulators="number"/>
  <xsl:mode name="domain" on-no-match="shallow-skip" use-accumulators="number"/>

  <xsl:template name="failed">
    <xsl:param name="test"/>
    <xsl:param name="text"/>
    <svrl:failed-assert test="{$test}" location="/Microdata[1]/Record[{accumulator-before('number')}]">
      <svrl:text>{$text}</svrl:text>
    </svrl:failed-assert>
  </xsl:template>

  <xsl:template match="Record" mode="linear">
    <svrl:fired-rule context="Record"/>
    <xsl:if test="not(number(V9) + number(V10) = number(V14))">
      <xsl:call-template name="failed">
        <xsl:with-param name="test" select="'number(V9) + number(V10) = number(V14)'"/>
        <xsl:with-param name="text">{V9} + {V10} is not {V14}</xsl:with-param>
      </xsl:call-template>
    </xsl:if>
    <xsl:apply-templates mode="#current"/>
  </xsl:template>
  <xsl:template match="Record" mode="product">
    <svrl:fired-rule context="Record"/>
    <xsl:if test="not(number(V5) * number(V15) = number(V16))">
      <xsl:call-template name="failed">
        <xsl:with-param name="test" select="'number(V5) * number(V15) = number(V16)'"/>
        <xsl:with-param name="text">{V5} * {V15} is not {V16}</xsl:with-param>
      </xsl:call-template>
    </xsl:if>
    <xsl:apply-templates mode="#current"/>
  </xsl:template>
  <xsl:template match="Record" mode="interval">
    <svrl:fired-rule context="Record"/>
    <xsl:if test="not(0 &lt;= number(V3) and number(V3) &lt;= 7500)">
      <xsl:call-template name="failed">
        <xsl:with-param name="test" select="'0 &lt;= number(V3) and number(V3) &lt;= 7500'"/>
        <xsl:with-param name="text">{V3} is not in [0, 7500]</xsl:with-param>
      </xsl:call-template>
    </xsl:if>
    <xsl:apply-templates mode="#current"/>
  </xsl:template>
  <xsl:template match="Record" mode="condition">
    <svrl:fired-rule context="Record"/>
    <xsl:if test="not(not(number(V8) &lt; 1115) or number(V13) &lt;= number(V12))">
      <xsl:call-template name="failed">
        <xsl:with-param name="test" select="'not(number(V8) &lt; 1115) or number(V13) &lt;= number(V12)'"/>
        <xsl:with-param name="text">{V8} asks for {V13} at most {V12}</xsl:with-param>
      </xsl:call-template>
    </xsl:if>
    <xsl:apply-templates mode="#current"/>
  </xsl:template>
  <xsl:template match="Record" mode="domain">
    <svrl:fired-rule context="Record"/>
    <xsl:if test="not(exists(key('value', string(V1), $original)))">
      <xsl:call-template name="failed">
        <xsl:with-param name="test" select="'exists(index-of($original//Record/V1, V1))'"/>
        <xsl:with-param name="text">{V1} does not occur in the original</xsl:with-param>
      </xsl:call-template>
    </xsl:if>
    <xsl:apply-templates mode="#current"/>
  </xsl:template>
</xsl:stylesheet>
