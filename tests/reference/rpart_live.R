# Grows each case's tree with rpart and prints all of it, numbers to the last bit.
suppressMessages(library(rpart))

say <- function(...) cat(paste(..., sep = "\t"), "\n", sep = "")
number <- function(x) sprintf("%.17g", as.double(x))

told <- function(seed, d, new, method, w, parms, cost, control) {
  say("case", seed)
  more <- list()
  if (!is.null(parms)) more$parms <- parms
  if (!is.null(cost)) more$cost <- cost
  if (!is.null(w)) more$weights <- w
  f <- tryCatch(
    suppressWarnings(do.call(rpart, c(
      list(formula = y ~ ., data = d, method = method, control = control), more))),
    error = function(e) e)
  if (inherits(f, "error")) {
    say("refuses", gsub("\n", " ", conditionMessage(f)))
    return(invisible())
  }
  fr <- f$frame
  for (i in seq_len(nrow(fr)))
    say("node", row.names(fr)[i], fr$var[i], fr$n[i], number(fr$wt[i]), number(fr$dev[i]),
        number(fr$yval[i]), number(fr$complexity[i]), fr$ncompete[i], fr$nsurrogate[i])
  s <- f$splits
  for (i in seq_len(NROW(s))) {
    levels <- ""
    if (abs(s[i, "ncat"]) > 1)
      levels <- paste(f$csplit[s[i, "index"], seq_len(s[i, "ncat"])], collapse = " ")
    say("split", rownames(s)[i], s[i, "ncat"], number(s[i, "improve"]), number(s[i, "index"]),
        number(s[i, "adj"]), levels)
  }
  for (i in seq_len(nrow(f$cptable)))
    say("cp", paste(number(f$cptable[i, 1:3]), collapse = "\t"))
  for (rows in list(d, new)) {
    say("predicted", paste(number(predict(f, rows, type = "vector")), collapse = " "))
    # R stops here where the last classes have no rows; then nothing is printed.
    p <- if (method == "class") tryCatch(predict(f, rows, type = "prob"), error = function(e) NULL)
    for (column in seq_len(NCOL(p)))
      if (!is.null(p)) say("probability", paste(number(p[, column]), collapse = " "))
  }
}

source(commandArgs(TRUE)[1])
