# Verdicts of R on rules and data in JSON, one letter a record: T holds, F fails, N unknown.
#
#   Rscript verdicts.R rules-and-data.json verdicts.json
#
# With the package validate, its confront() decides. Without it, base R evaluates each rule after the rewriting that
# the package documents: if (P) Q is !(P) | (Q); if (P) Q else R is (!(P) | (Q)) & ((P) | (R)); %in% is %vin%;
# a linear equality holds within 1e-8. The functions that the package adds are written here from its documentation.

arguments <- commandArgs(trailingOnly = TRUE)
given <- jsonlite::fromJSON(arguments[1], simplifyDataFrame = TRUE)
data <- given$data
has_validate <- requireNamespace("validate", quietly = TRUE)

`%vin%` <- function(x, table) ifelse(is.na(x), NA, x %in% table)
in_range <- function(x, min, max, strict = FALSE) if (strict) x > min & x < max else x >= min & x <= max
is_complete <- function(...) stats::complete.cases(data.frame(...))
all_complete <- function(...) all(is_complete(...))
is_unique <- function(...) {
  key <- do.call(paste, c(lapply(list(...), function(v) paste(nchar(as.character(v)), v)), sep = "|"))
  table(key)[key] == 1
}
all_unique <- function(...) all(is_unique(...))
field_length <- function(x, n = NULL, min = NULL, max = NULL) {
  length <- nchar(as.character(x))
  if (!is.null(n)) length == n else length >= min & length <= max
}
field_format <- function(x, pattern, type = "glob") {
  grepl(if (type == "glob") utils::glob2rx(pattern) else pattern, as.character(x))
}
number_format <- function(x, format) {
  grepl(gsub("d", "[0-9]", utils::glob2rx(format), fixed = TRUE), as.character(x))
}

is_linear <- function(e) {
  if (is.numeric(e)) return(TRUE)
  if (is.name(e)) return(is.numeric(data[[as.character(e)]]))
  if (!is.call(e)) return(FALSE)
  operator <- as.character(e[[1]])[1]
  if (operator == "*" && !(is.numeric(e[[2]]) || is.numeric(e[[3]]))) return(FALSE)
  operator %in% c("+", "-", "*", "==") && all(vapply(as.list(e)[-1], is_linear, TRUE))
}

rewritten <- function(e) {
  if (!is.call(e)) return(e)
  e[-1] <- lapply(as.list(e)[-1], rewritten)
  operator <- as.character(e[[1]])[1]
  if (operator == "if" && length(e) == 3) return(bquote(!(.(e[[2]])) | (.(e[[3]]))))
  if (operator == "if") return(bquote((!(.(e[[2]])) | (.(e[[3]]))) & ((.(e[[2]])) | (.(e[[4]])))))
  if (operator == "%in%") return(bquote(.(e[[2]]) %vin% .(e[[3]])))
  if (operator == "==" && is_linear(e)) return(bquote(abs((.(e[[2]])) - (.(e[[3]]))) < 1e-8))
  e
}

own_verdict <- function(rule) {
  environment <- list2env(as.list(data))
  environment$. <- data
  eval(rewritten(parse(text = rule)[[1]]), environment)
}

verdict <- function(rule) {
  value <- if (has_validate) {
    rules <- validate::validator(.data = data.frame(name = "r", rule = rule))
    validate::values(validate::confront(data, rules))
  } else own_verdict(rule)
  paste(ifelse(is.na(value), "N", ifelse(value, "T", "F")), collapse = "")
}

made_by <- if (has_validate) paste("validate", utils::packageVersion("validate")) else "base R"
result <- list(made_by = paste(R.version.string, made_by, sep = ", "), verdicts = vapply(given$rules, verdict, ""))
jsonlite::write_json(result, arguments[2], auto_unbox = TRUE)
