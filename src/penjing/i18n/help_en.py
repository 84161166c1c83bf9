"""The help of the command line and its usage errors, in English."""

from __future__ import annotations

HELP: dict[str, str] = {
    # -- headings and words -------------------------------------------------------------------
    "word_usage": "Usage: ",
    "word_options": "[OPTIONS]",
    "word_command": "COMMAND [ARGUMENTS]",
    "word_required": "required",
    "word_default": "default: {default}",
    "word_brackets": "[{text}]",
    "word_join": "; ",
    "word_gap": " ",
    "word_heading": "{title}:",
    "word_examples": "Examples",
    "word_exit_codes": "Exit codes",
    "word_program": "penjing: grow decision trees, show how each split was chosen, prune, test and export them.",
    "word_more": "Run `penjing COMMAND --help` for the options of a command.",
    "exit_0": "success",
    "exit_1": "invalid data or setting",
    "exit_2": "invalid command line",
    "exit_3": "accuracy below --min-accuracy",
    "exit_4": "drift above --max-psi",
    "exit_70": "internal error (please report it)",
    "exit_130": "interrupted",
    # -- panels and groups of commands --------------------------------------------------------
    "panel_input": "Input",
    "panel_columns": "Target and columns",
    "panel_growing": "Growing",
    "panel_pruning": "Pruning",
    "panel_evaluation": "Evaluation",
    "panel_format": "Format",
    "panel_output": "Output",
    "panel_c45": "Options of C4.5 and C5.0",
    "panel_j48": "Options of J48",
    "panel_rpart": "Options of rpart",
    "panel_sklearn": "Options of scikit-learn",
    "panel_options": "Options (before or after the command)",
    "group_grow": "Grow and prune",
    "group_understand": "Understand",
    "group_evaluate": "Evaluate",
    "group_use": "Use",
    "group_about": "About",
    # -- what stands for a value --------------------------------------------------------------
    "metavar_DATA": "DATA",
    "metavar_MODEL": "MODEL",
    "metavar_NODE": "NODE",
    "metavar_RECIPE": "RECIPE",
    "metavar_FILE": "FILE",
    "metavar_FOLDER": "FOLDER",
    "metavar_COLUMN": "COLUMN",
    "metavar_CELL": "CELL",
    "metavar_CLASS": "CLASS",
    "metavar_NAME": "NAME",
    "metavar_VALUE": "VALUE",
    "metavar_METHOD": "METHOD",
    "metavar_FORMAT": "FORMAT",
    "metavar_WORD": "TEXT",
    "metavar_TEXT": "TEXT",
    "metavar_CHAR": "CHARACTER",
    "metavar_PARTS": "PARTS",
    "metavar_INT": "INTEGER",
    "metavar_NUMBER": "NUMBER",
    "metavar_SHARE": "SHARE",
    "metavar_SIZE": "SIZE",
    "metavar_SHELL": "SHELL",
    "metavar_ROW": "ROW",
    "metavar_TREE": "TREE",
    # -- defaults that are no values ----------------------------------------------------------
    "default_show": "data up to 24 leaves, counts beyond",
    "default_layout": "top-down, unless a node has many branches",
    "default_stdout": "standard output",
    "default_locale": "language of the locale",
    "default_terminal": "width of the terminal",
    "default_target": "the target of --schema; a column named class, label or target; or the last "
    "column, if it has at most 20 distinct values",
    "default_model_target": "the target of the model",
    "default_markers": "common ones such as ?, NA and nan",
    "default_model_markers": "the model's markers, and common ones such as ?, NA and nan",
    "default_detected": "detected",
    "default_first_sheet": "the first sheet",
    "default_free_port": "any free one",
    "default_as_trained": "as in training, or detected",
    "default_as_trained_or_header": "as in training, or the header",
    "default_as_trained_or_first": "as in training, or the first sheet",
    "default_as_trained_if_there": "as in training, if the table has the column",
    "default_recipe": "set by the recipe",
    "default_model": "as in training",
    "default_train": "the file recorded in the model",
    "default_rarer": "the rarer of two classes",
    "default_half": "half of the free memory",
    "default_picture_theme": "light; auto for a page",
    "default_picture_leaves": "64; for a page, as many as fit in the window",
    "default_small": "if the tree is small",
    "default_third": "a third of minsplit",
    "default_frequency": "class frequencies",
    "default_none": "no limit",
    "default_first": "the first column of the table",
    "default_chart": "confusion, or predictions for a number",
    "default_chart_title": "what the chart shows",
    "default_title": "the target",
    "default_cross": "with at most 20,000 training rows",
    "default_row": "1, with --data",
    "default_format": "by the extension of --output, else text",
    "default_formulas": "on for md, tex and html",
    "default_solution": "-solution added to the name of --output",
    "default_depth": "no limit; 2 for a random table",
    "default_rows": "8, 12, 16, … for a depth of 1, 2, 3, …",
    # -- commands -----------------------------------------------------------------------------
    "command_check": "Describe the columns, classes and problems of a table.",
    "command_fit": "Grow a decision tree from a table.",
    "command_prune": "Prune a saved tree.",
    "command_import": "Read a tree written by hand, and save it as a model.",
    "command_edit": "Change single nodes of a saved tree.",
    "command_show": "Print a saved tree.",
    "command_draw": "Save a picture of a tree.",
    "command_why": "Explain why a node splits as it does.",
    "command_explain": "Explain the prediction for one row.",
    "command_trace": "Print step by step how a tree was grown.",
    "command_ruleset": "Derive a short list of rules from a tree.",
    "command_importance": "Rank the columns by importance.",
    "command_worksheet": "Make a worksheet with blanks, and its solution.",
    "command_lab": "Grow, prune and explain trees in a browser.",
    "command_test": "Report the accuracy of a tree on a test set.",
    "command_cross-validate": "Estimate accuracy by cross-validation.",
    "command_compare": "Compare trees, or recipes on one table.",
    "command_bootstrap": "Measure how stable the splits are.",
    "command_report": "Write a report on a tree as one HTML file.",
    "command_drift": "Compare new rows with the training rows.",
    "command_predict": "Predict the target of each row of a table.",
    "command_export": "Convert a tree to SQL, C, Java or another format.",
    "command_examples": "List the built-in example tables.",
    "command_recipes": "List the recipes and their settings.",
    "command_plugins": "List built-in components and plug-ins.",
    "command_plugs": "Old name of `penjing plugins`.",
    "command_completion": "Print a script for shell completion.",
    "about_check": "Print the type, the values and the missing values of each column, the class "
    "counts, and rows that repeat or contradict each other.",
    "about_fit": "Print the tree with its size and training accuracy, and save it with --output.",
    "about_prune": "Choose a method with --method. Every decision is printed with its figures.",
    "about_import": "The file holds a nested dict (JSON or Python) or a tree as text, as `penjing show` "
    "prints it. With --data, the rows of a table are counted at its nodes, so that the tree can be "
    "pruned, drawn with counts and explained.",
    "about_edit": "Below a changed node, the tree is grown again from the training rows of the node, "
    "with the same recipe. The cost of each change is printed. All --replace options are applied first, "
    "then all --prune, then all --regrow, each in the given order.",
    "about_show": "Choose another text format with --as.",
    "about_draw": "The extension of the output file selects the format.",
    "about_why": "List the candidate splits of a node with their scores, and fill in the formulas "
    "of the best ones.",
    "about_explain": "Print the path of the row through the tree, the predicted probabilities, "
    "and the smallest changes of the row that change the prediction.",
    "about_trace": "For each node: the rows, the stopping conditions, the candidate splits and "
    "the choice. Pruning decisions follow.",
    "about_ruleset": "Simplify the rules of the leaves, and drop those that the training rows do "
    "not need.",
    "about_worksheet": "The worksheet has the task, the table, and for each node tables with blanks. "
    "The numbers of the solution are those of `penjing why`.",
    "about_lab": "Serve a web page on this machine only. The first line printed is its address with a token; whoever has it can use the lab. Without a file, choose a table on the page.",
    "about_importance": "Measure importance by the decrease in impurity, or with --data by "
    "permutation.",
    "about_test": "Print the accuracy with its confidence interval beside baselines, scores of the "
    "predicted probabilities, the confusion matrix, and the rows that were predicted wrongly.",
    "about_cross-validate": "Grow a tree on all folds but one, test it on that fold, and repeat "
    "for every fold.",
    "about_compare": "Give two or more models; or one table and --recipes, to grow a tree by each "
    "recipe. Print sizes and accuracies side by side, the splits that differ, and the "
    "rows with different predictions.",
    "about_bootstrap": "Refit on bootstrap samples and report how often each column is used.",
    "about_drift": "Compare shares of leaves, predictions and columns by the population stability "
    "index (PSI): a value below 0.1 means little change, a value of 0.25 or more a large change.",
    "about_report": "The report contains the data, the tree, its rules, accuracy, calibration, "
    "curves, and the provenance of the model.",
    "about_predict": "Write the table with the prediction added, as CSV or Parquet. CSV and "
    "Parquet tables are processed in parts, in constant memory.",
    "about_export": "The exported program gives the same predictions as the tree.",
    "about_examples": "Use a table as example:NAME wherever a command takes a table.",
    "about_recipes": "With a name, explain the settings of one recipe.",
    "about_plugins": "The kinds are criteria, dialects, pruning methods, engines, output formats "
    "and export formats.",
    "about_plugs": "Print the same list.",
    "about_completion": "Append the script to the start-up file of the shell.",
    # -- arguments ----------------------------------------------------------------------------
    "option_data": "Table to read: CSV, TSV, JSON, JSON Lines, ARFF, Parquet, Excel or C4.5 files, also "
    "compressed (.gz). Use example:NAME for a built-in table, and - for standard input. `penjing fit` also "
    "reads a folder or a pattern such as 'data/*.parquet': all its files are one table.",
    "option_model": "Model saved by `penjing fit`. Use - for standard input.",
    "option_tree_file": "Tree to read: a nested dict as JSON or Python, text with one branch per line, or "
    "a model. Use - for standard input.",
    "option_models": "Models saved by `penjing fit`, at least two; with --recipes, one table.",
    "option_node": "Node to explain: its number, or a path such as 'texture=clear, root=curled'.",
    "option_recipe_name": "Recipe to explain.",
    "option_shell": "Shell to complete command lines in: bash, zsh, fish or powershell.",
    # -- options of every command -------------------------------------------------------------
    "option_lang": "Set the language of the output.",
    "option_json": "Print the result as JSON.",
    "option_ascii": "Draw trees with ASCII characters only.",
    "option_width": "Limit the width of lines to this number of columns.",
    "option_color": "Choose when to use colours.",
    "option_debug": "Show the traceback of an error.",
    "option_help": "Show this help and exit.",
    "option_version": "Print the version and exit.",
    # -- reading ------------------------------------------------------------------------------
    "option_target": "Predict this column.",
    "option_schema": "Set the types of columns, as JSON or a file: "
    '\'{"size": {"ordinal": ["S", "M", "L"]}, "code": "ignore"}\'. '
    "Types: categorical, ordinal, numeric, date, ignore, target and weight.",
    "option_markers": "Treat this text as a missing value. Repeat the option for several.",
    "option_encoding": "Set the encoding of the table, such as utf-8 or gbk.",
    "option_separator": "Set the character between cells; \\t is a tab.",
    "option_names": "Name the columns of a table that has no header.",
    "option_keep": "Keep a column that looks like an id or a date. Repeat the option for several.",
    "option_root": "Split the root on this column, also with a threshold: COLUMN<=VALUE.",
    "option_force": "Force the split of a node: 'PATH => COLUMN', 'PATH => COLUMN<=VALUE' or "
    "'PATH => COLUMN in {A, B}'; 'PATH =>' forces a leaf. PATH is that of `penjing why`. Repeat the "
    "option for several.",
    "option_forbid": "Never split on this column. Unlike with --ignore, it stays a column of the "
    "model, and `penjing why` lists it. Repeat the option for several.",
    "option_edit_replace": "Give a node another split: 'PATH => COLUMN', 'PATH => COLUMN<=VALUE' or "
    "'PATH => COLUMN in {A, B}'. Repeat the option for several.",
    "option_edit_prune": "Make a node a leaf. Repeat the option for several.",
    "option_edit_regrow": "Grow the subtree below a node again. Repeat the option for several.",
    "option_edit_setting": "Use another setting of the recipe for --regrow. Repeat the option for "
    "several.",
    "option_edit_validate": "Report the cost of the changes on this validation set as well.",
    "option_ignore": "Leave a column out. Repeat the option for several.",
    "option_weight": "Take the weights of the rows from this column.",
    "option_decimal": "Set the decimal mark of numbers: . (1,234.56) or , (1.234,56).",
    "option_sheet": "Read this sheet of a workbook (.xlsx), by name or number.",
    "option_fold_case": "Treat categories that differ only in case or blanks as one.",
    "option_dates": "Replace each date by some of its parts: year, month, day, weekday, hour, "
    "number. Separate them with commas.",
    "option_model_target": "Read the true values of the target from this column.",
    "option_model_schema": "Set the roles of columns, as JSON or a file: "
    '\'{"n": "weight", "code": "ignore"}\'. '
    "Roles: target, weight and ignore. The types of columns are those of the model.",
    "option_query": "Read the result of this query, or this table, from duckdb:FILE or "
    "postgresql://….",
    "option_memory_limit": "Limit the memory, for example to 2GB. Larger tables are processed on "
    "disk.",
    "option_test": "Report the accuracy on this test set.",
    "option_counted_data": "Count the rows of this table at the nodes of the tree.",
    "option_counted_missing": "With --data, handle missing values: stop (the row stays at the node) or "
    "fraction (fractional cases).",
    "option_train": "Read the training rows from this file.",
    # -- growing ------------------------------------------------------------------------------
    "option_recipe": "Grow the tree with this recipe, such as id3, c4.5, cart-binary or rpart; "
    "auto chooses one for the table. `penjing recipes` lists them.",
    "option_criterion": "Score splits by gain, gain_ratio, gini or variance.",
    "option_shape": "Split categorical columns multiway (one branch per category) or binary.",
    "option_missing": "Handle missing values: refuse (an error), fraction (fractional cases), "
    "branch (a branch of their own), surrogate (surrogate splits) or direction (the learned side).",
    "option_unseen": "Handle categories that were not in the training rows: stop (predict at the "
    "node), missing (as a missing value) or error.",
    "option_predict_missing": "Handle missing values: stop (predict at the node), fraction "
    "(fractional cases) or error.",
    "option_max_depth": "Limit the depth of the tree.",
    "option_max_leaves": "Limit the number of leaves.",
    "option_monotonic": "Make predictions monotonic in a column: with 1, the predicted number, or the probability of the second class, never decreases as the column increases; with -1, it never increases. Repeat the option for several columns. Needs binary splits, and two classes or a numeric target.",
    "option_interaction": "Let a path use only columns of one group, such as --interaction a,b --interaction c; the columns in no group form one more group. pairwise: any two columns; no_interactions: one column per path. Needs binary splits.",
    "option_min_weight": "Split only nodes that have at least this weight; without --weight, the "
    "number of rows.",
    "option_min_branch": "Require this weight in at least two branches of a split.",
    "option_min_gain": "Require at least this gain for every split.",
    "option_setting": "Change any other setting of the recipe. Repeat the option for several. "
    "`penjing recipes NAME` lists them.",
    "option_engine": "Compute the counts with this engine: auto, native, memory, disk, duckdb, "
    "postgres or spark.",
    "option_work": "Keep the encoded rows of engine disk in this folder, so that an interrupted run "
    "can be resumed.",
    # -- pruning ------------------------------------------------------------------------------
    "option_prune": "Prune the tree after growing: cost-complexity, reduced-error, pessimistic, "
    "error-based, collapse, minimum-error, mdl or simplify; prepruned prunes while growing.",
    "option_prune_method": "Prune with this method: reduced-error, cost-complexity, pessimistic, "
    "error-based, collapse, minimum-error, mdl or simplify.",
    "option_validate": "Use this validation set to choose what to prune.",
    "option_validate_fit": "Use this validation set to choose what to prune. Without --prune, the "
    "tree is pruned while growing.",
    "option_share": "Use this share of the training rows as the validation set, between 0 and 1.",
    "option_seed_share": "Set the random seed for --validate-share.",
    "option_ties": "If pruning leaves the validation accuracy unchanged, prune (cut) or keep the "
    "subtree.",
    "option_prune_confidence": "pessimistic, error-based: set the confidence level (CF), between 0 "
    "and 1. A smaller value prunes more.",
    "option_prune_cp": "cost-complexity: set the cost of a leaf, relative to the error of the "
    "root (rpart's cp).",
    "option_prune_alpha": "cost-complexity: set the cost of a leaf in absolute terms.",
    "option_prune_by": "cost-complexity: measure the cost of a tree by errors or impurity.",
    "option_prune_one_se": "cost-complexity: choose the smallest tree within one standard error of "
    "the lowest cross-validated error, or the tree with the lowest error.",
    "option_prune_folds": "cost-complexity: choose the tree by cross-validation with this number "
    "of folds of the training rows.",
    "option_prune_raise": "error-based: allow or forbid subtree raising, where the largest branch "
    "replaces its parent.",
    "option_prune_setting": "Change any other option of the method. Repeat the option for several.",
    "option_same_file": "Allow the same file as validation set and test set.",
    # -- options of other programs ------------------------------------------------------------
    "option_c45_m": "Require this weight in at least two branches of a split.",
    "option_c45_c": "Set the confidence level of pruning, in percent. A smaller value prunes more.",
    "option_c45_g": "C4.5: use the gain instead of the gain ratio. C5.0: skip global pruning.",
    "option_c45_s": "C4.5: merge the categories of a column into groups.",
    "option_j48_c": "Set the confidence level of pruning. A smaller value prunes more.",
    "option_j48_m": "Require this weight in at least two branches of a split.",
    "option_j48_r": "Use reduced-error pruning, with a validation set.",
    "option_j48_b": "Split categorical columns in two: one category against the rest.",
    "option_j48_u": "Do not prune.",
    "option_j48_s": "Do not raise subtrees.",
    "option_j48_a": "Smooth the predicted probabilities (Laplace). Works with every recipe.",
    "option_j48_o": "Do not collapse subtrees that do not reduce training errors.",
    "option_j48_j": "Do not apply the MDL correction to the gain of numeric splits.",
    "option_rpart_cp": "Require this decrease in relative error for every additional leaf.",
    "option_rpart_minsplit": "Split only nodes that have at least this number of rows.",
    "option_rpart_minbucket": "Require this number of rows in every leaf.",
    "option_rpart_maxdepth": "Limit the depth of the tree.",
    "option_rpart_usesurrogate": "Handle missing values: 0 stops at the node, 1 uses surrogates, "
    "2 also follows the majority if no surrogate applies.",
    "option_rpart_maxsurrogate": "Limit the number of surrogates per split.",
    "option_rpart_xval": "Cross-validate the cp table with this number of folds.",
    "option_rpart_split": "Score splits by the Gini index or by information.",
    "option_rpart_prior": "Set the prior probabilities of the classes: yes=0.3,no=0.7.",
    "option_rpart_loss": 'Set the costs of errors by true and predicted class: {"yes": {"no": 5}}.',
    "option_rpart_cost": "Divide the gains of columns by these costs: age=2,sex=1.",
    "option_sklearn_ccp_alpha": "Prune by minimal cost-complexity with this alpha.",
    "option_sklearn_min_samples_split": "Split only nodes that have at least this number of rows.",
    "option_sklearn_min_samples_leaf": "Require this number of rows in every leaf.",
    "option_sklearn_max_leaf_nodes": "Limit the number of leaves; the nodes with the best splits are split first.",
    "option_sklearn_class_weight": "Weight the classes: balanced, or yes=2,no=1.",
    "option_sklearn_random_state": "Choose among tied columns as scikit-learn does with this seed.",
    # -- evaluation ---------------------------------------------------------------------------
    "option_folds": "Set the number of folds, at least 2.",
    "option_leave_one_out": "Use one fold per row.",
    "option_seed_folds": "Set the random seed of the folds.",
    "option_curve": "Print a curve instead: accuracy by training rows, or by leaves after pruning.",
    "option_cross": "Grow further trees for cross-validation and curves, or skip them.",
    "option_min_accuracy": "Exit with code 3 if the accuracy is below this value, between 0 and 1.",
    "option_compared_recipes": "Grow a tree by each of these recipes from the table, such as "
    "id3,rpart,cart-textbook.",
    "option_compare_folds": "Cross-validate the recipe of every tree with this number of folds.",
    "option_positive": "Set the positive class, which lift, cut-offs and PR AUC refer to.",
    "option_false_costs": "Print the cut-off with the lowest cost, given the costs of a false "
    "positive and of a false negative, such as 1:5.",
    "option_wanted_precision": "Print the cut-off with the highest recall that has at least this "
    "precision.",
    "option_wanted_recall": "Print the cut-off with the highest precision that has at least this "
    "recall.",
    "option_profit": 'Print the profit by a matrix: {"actual": {"predicted": number}}.',
    "option_max_psi": "Exit with code 4 if a population stability index is above this value.",
    "option_compare_leave_one_out": "Compute the leave-one-out accuracy even for more than 200 rows.",
    "option_importance_surrogates": "Count surrogates as well.",
    "option_seed_permutation": "Set the random seed of the permutations.",
    "option_permutation_data": "Measure importance by permutation on this table.",
    "option_trees": "Set the number of bootstrap samples.",
    "option_seed_bootstrap": "Set the random seed of the samples.",
    "option_max_loss": "Allow this loss of training accuracy, between 0 and 1.",
    "option_votes": "Derive rules that vote, as C5.0 -r does.",
    # -- rows ---------------------------------------------------------------------------------
    "option_row": "Explain this row: 'column=value, column=value', JSON, or the number of a row "
    "of --data.",
    "option_row_data": "Take the row from this table.",
    # -- output -------------------------------------------------------------------------------
    "option_output": "Write the result to this file. Use - for standard output.",
    "option_output_model": "Save the tree to this file. Use - for standard output.",
    "option_output_picture": "Save the picture to this file: .svg, .html, .png, .pdf, .txt, .md or "
    ".dot.",
    "option_trace": "Save or omit the trace of how the tree was grown, which `penjing why` and "
    "`penjing trace` print.",
    "option_sketch": "Save or omit the distribution of the rows in large nodes, which pictures show.",
    "option_empty": "Draw the branches that have no training rows.",
    "option_order": "Order the branches of categorical columns by their number of rows or by the "
    "categories.",
    "option_node_below": "Draw only the subtree of this node: its number or path.",
    "option_exact": "Print thresholds with all their digits.",
    "option_surrogates": "Print where rows with a missing value go.",
    "option_as": "Print another format: text, rules, markdown, svg, html, icicle, dot, dict or "
    "nested.",
    "option_output_chart": "Also save a chart to this file: .svg, .png or .pdf.",
    "option_report_trace": "Include the steps in which the tree was grown.",
    "option_chart": "Choose the chart that --output saves: confusion, roc, precision_recall, calibration, "
    "or predictions for a number.",
    "option_plane": "Draw the regions of the leaves over two numeric columns instead. The tree must not split on "
    "other columns.",
    "option_points": "Draw the rows of this file as points, with --plane.",
    "option_theme_picture": "Choose the colours; auto (pages only) follows the reader's system, print is for pictures only.",
    "option_theme_report": "Choose the colours; auto follows the reader's system.",
    "option_title": "Set the title.",
    "option_drawn_leaves": "Draw at most this number of leaves; the subtrees with the fewest rows are collapsed.",
    "option_show": "Show in each box the data (the distribution of the split column), the counts only, or neither.",
    "option_layout": "Set the direction of the picture.",
    "option_align_leaves": "Put all leaves on one line.",
    "option_test_drawn": "Show at each leaf how many rows of this test set are predicted correctly.",
    "option_icicle": "Draw nodes as nested rectangles, for trees with thousands of leaves.",
    "option_all": "Fill in the formulas of every column.",
    "option_cuts": "List all thresholds of this numeric column with their scores, or with --output FILE.svg draw them.",
    "option_steps": "Print this number of steps; 0 prints all.",
    "option_formulas": "Show or omit the formulas of every node.",
    "option_lab_data": "Table, model, worksheet (.json) or workbook to open.",
    "option_lab_replay": "Replay this workbook file. Its table is DATA, or the file with the recorded name in the folder of the workbook.",
    "option_lab_port": "Listen on this port.",
    "option_lab_no_open": "Do not open a browser.",
    "option_lab_idle": "Stop after this many minutes without a request; 0: never stop.",
    "option_sheet_data": "Table of the worksheet. With --seed, only its columns, categories and classes are used.",
    "option_sheet_recipe": "Grow the tree by this recipe: id3, c4.5-textbook, cart-textbook or cart-binary.",
    "option_sheet_depth": "Limit the depth of the tree.",
    "option_sheet_seed": "Generate a random table with a unique answer. The same seed gives the same table.",
    "option_sheet_rows": "Set the number of rows of a random table.",
    "option_blanks": "Leave blank: choice (the scores and the chosen column), measures (all measures of the columns) or all (those of every branch as well).",
    "option_sheet_format": "Set the format of a worksheet on standard output.",
    "option_sheet_output": "Save the worksheet to this file: .html, .md, .tex or .json. Its solution is saved beside it.",
    "option_sheet_solution": "Save the solution to this file.",
    "option_save_table": "Save the rows of the worksheet to this file, as CSV.",
    "option_format": "Write plain text, Markdown (md), LaTeX (tex) or an HTML page (html).",
    "option_proba": "Add the predicted probability of each class.",
    "option_rule": "Add the rule of the leaf.",
    "option_path": "Add the path that the row took through the tree.",
    "option_excel": "Write CSV for Excel: UTF-8 with a byte-order mark, and a ' before text that "
    "Excel would run as a formula.",
    "option_output_encoding": "Set the encoding of the output, such as utf-8 or gbk.",
    "option_lines": "With --json: print one object per line.",
    "option_lift_leaves": "Print the leaves sorted by the probability of the positive class, with lift and "
    "gain.",
    "option_calibration": "Print predicted probabilities beside observed accuracies.",
    "option_summary": "Print counts of unseen categories and missing values, and the shares of "
    "predictions and leaves, instead of the rows; with --output the rows go to the file.",
    "option_full": "Print the confusion matrix, all figures of each class, lift, gain and "
    "calibration.",
    # -- export -------------------------------------------------------------------------------
    "option_to": "Export to this format: python, sql, c, javascript, java, pmml, onnx, excel, "
    "nested or dict.",
    "option_export_dialect": "sql: write this dialect: duckdb, postgres, sqlite, mysql, bigquery, "
    "snowflake, spark, tsql, oracle or redshift.",
    "option_export_table": "sql: name the table that is queried.",
    "option_export_proba": "sql: add the predicted probability of each class.",
    "option_export_clean": "sql: read the cells of a raw text table as the model's table was read: "
    "blanks, missing markers, units, decimal marks, case, dates (duckdb, postgres, sqlite).",
    "option_export_name": "java: name the class.",
    "option_export_cell": "excel: read a column from this cell. Repeat the option for several.",
    "option_export_missing": "Handle missing values: stop (predict at the node) or fraction "
    "(fractional cases).",
    # -- built-in tables ----------------------------------------------------------------------
    "examples_name": "name",
    "examples_rows": "rows",
    "examples_columns": "columns",
    "examples_target": "target",
    "examples_description": "description",
    "example_watermelon2.0": "Watermelons with categorical columns; Zhou, table 4.1",
    "example_watermelon2.0alpha": "Watermelons with missing values; Zhou, table 4.4",
    "example_watermelon3.0": "Watermelons with numeric columns; Zhou, table 4.3",
    "example_fish": "Sea animals: which ones are fish",
    "example_buys_computer": "Customers of AllElectronics; Han and Kamber",
    "example_basketball": "Days on which basketball was played or not",
    "example_golf": "Days for golf, with numeric columns; Quinlan (1993)",
    "example_play_tennis": "Days for tennis; Quinlan (1986)",
    # -- usage errors -------------------------------------------------------------------------
    "usage_try": "Run `{command} --help` for the options.",
    "usage_no_option": "there is no option {word}.",
    "usage_no_option_near": "there is no option {word}. Did you mean {near}?",
    "usage_no_command": "there is no command '{word}'. Run `penjing --help` for the commands.",
    "usage_no_command_near": "there is no command '{word}'. Did you mean '{near}'?",
    "usage_missing_argument": "the argument {word} is missing.",
    "usage_missing_option": "the option {word} is required.",
    "usage_bad_value": "invalid value '{value}' for {word}: {why}.",
    "usage_bad_value_unknown": "invalid value for {word}: {why}.",
    "usage_bad_argument": "invalid value '{value}' for {word}: {why}.",
    "usage_bad_argument_unknown": "invalid value for {word}: {why}.",
    "usage_why_integer": "it must be an integer",
    "usage_why_number": "it must be a number",
    "usage_why_other": "it is not allowed",
    "usage_why_least": "it must be at least {least}",
    "usage_why_between": "it must be between {least} and {most}",
    "usage_why_one_of": "choose from {known}",
    "usage_too_many": "unexpected arguments: {words}.",
    "usage_no_value": "the option {word} needs a value.",
    "usage_takes_no_value": "the option {word} takes no value.",
    "usage_other": "the command line cannot be parsed.",
}
