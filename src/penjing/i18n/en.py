"""The English sentences."""

MESSAGES: dict[str, str] = {
    # tree, in counts
    "leaves": "{n} leaves",
    "leaves_one": "{n} leaf",
    "rows": "{n} rows",
    "depth": "depth {n}",
    "root": "root",
    "training_share": "training {right}/{of}",
    # pictures
    "legend_others": "{n} other classes",
    "picture_folded": "{n} leaves are folded into {folded} dashed boxes",
    "picture_left_out": "{n} of the {of} first branches, those with fewest rows, are not drawn",
    "folded_leaves": "+ {n} leaves, n={weight}",
    "measure_gain": "gain",
    "measure_gain_ratio": "ratio",
    "measure_gini": "Gini gain",
    "measure_variance": "variance gain",
    "measure_improvement": "improvement",
    "measure_score": "score",
    "icicle_reading": "width = rows, strength of colour = purity",
    "icicle_reading_number": "width = rows, strength of colour = predicted value, {low} to {high}",
    "icicle_hidden": "{n} nodes are too thin to be seen",
    "mark_tie": "tie",
    "mark_empty": "+{n} empty",
    "mark_surrogates": "+{n} surrogates",
    "mark_surrogates_one": "+{n} surrogate",
    "mark_missing": "(missing)",
    "mark_missing_in": "missing: {columns}",
    "tip_tie": "tie: {columns}",
    "tip_cut": "exactly {cut}",
    "tip_empty": "no rows: {levels}",
    "because_answer_mixed": "the answer is {answer}, {share} % (mixed from several leaves: no interval)",
    "because_unseen_surrogate": "not seen here in training; by {test}",
    "because_unseen_way": "not seen here in training; the way of missing values",
    "explain_no_row": "{found!r} is no row. Hand in a dict {{column: value}}, or a table of one row.",
    "explain_odd_cell": "the row's column '{column}' holds {value!r}. A cell is a text, a number, a date or None.",
    "explain_wants_row": "which row? Write --row 'column=value, column=value', --row with JSON, or --data FILE with --row and the number of its row.",
    "bad_whole": "{name}={value!r} cannot be used: it must be a whole number of at least {least}.",
    "because_answer": "the answer is {answer}",
    "because_answer_share": "the answer is {answer}, {share} % (95 % interval {low} to {high} %)",
    "because_surrogate": "no value; by {test}",
    "because_missing_way": "no value; the way of missing values",
    "because_shared": "{column} has no value: shared out over all branches by their rows",
    "because_missing": "{column} has no value: the answer of the node that asks",
    "because_no_branch": "{column} = {value} has no branch here: the answer of the node that asks",
    "because_flips": "it would flip:",
    "because_no_flip": "no change was found that would flip it",
    "explain_one_row": "one row is explained at a time, found {n}. Hand in a dict, or a table of one row.",
    "explain_not_row": "'{text}' is no row. Write it as column=value, column=value, as JSON, or name a file with --data and the number of its row.",
    "explain_row_number": "the table has {n} rows; there is no row {row}.",
    "model_broken_trace": "the model's trace is not as penjing writes it. Fit the tree again.",
    "no_known_rows": "in {source} no row has a value in any column. This recipe leaves such rows out, so nothing is left.",
    "needs_plot": "drawing on axes, PNG and PDF need matplotlib, which is not installed. Install it: pip install 'penjing[plot]'. SVG and HTML need nothing.",
    "unknown_picture": "'{word}' is no kind of picture that can be written. Known endings: {known}.",
    "unknown_picture_near": "'{word}' is no kind of picture that can be written. Known endings: {known}. Closest: {near}.",
    "no_icicle": "an icicle cannot be written as '{ending}'. Endings that can: {known}.",
    "permutation_needs_data": "importance by permutation needs rows with the target: data=…, or --data FILE.",
    "bootstrap_root": "root",
    "bootstrap_used": "asked",
    "bootstrap_cuts": "first cut {middle} (90 % between {low} and {high})",
    "bootstrap_size": "{n} trees of {least} to {most} leaves, half of them at most {middle}",
    "ruleset_needs_rows": "rules are chosen by the training rows, and the file that the model names is not there. Name it: --train FILE.",
    "ruleset_default": "default: {answer}",
    "votes_rule": "{answer}  {cover} rows, {wrong} wrong  {accuracy}  lift {lift}  when {when}",
    "votes_training": "{n} rules from {leaves} leaves, training {right}/{of}",
    "ruleset_training": "{n} rules from {leaves} leaves, training {right}/{of} (the tree {tree}/{of})",
    "ruleset_training_one": "{n} rule from {leaves} leaves, training {right}/{of} (the tree {tree}/{of})",
    "rules_need_classes": "rules are made of classes, and '{target}' is a number. See the rules of each leaf: write('rules').",
    "rules_need_target": "these rows have no column '{target}'. Rules are chosen by rows whose class is known.",
    "rule_support": "rows",
    "rule_confidence": "right",
    "rule_when": "when",
    "rule_and": " and ",
    "rule_always": "always",
    "rule_in": "in",
    # the page
    "view_tools": "tools",
    "view_tree": "tree",
    "view_icicle": "icicle",
    "view_list": "list",
    "view_unfold": "unfold",
    "view_fold": "fold",
    "view_zoom_in": "larger",
    "view_zoom_out": "smaller",
    "view_fit": "fit",
    "view_search": "search",
    "view_found": "{n} found",
    "view_light": "light",
    "view_dark": "dark",
    "view_classes": "classes",
    "view_rows": "{n} rows",
    "view_asks": "asks {column}",
    "view_answers": "answers {answer}",
    "view_details": "details",
    "view_node": "node",
    "view_counts": "rows by class",
    "view_interval": "of more such rows {low} to {high} % would be {answer} (95 % interval)",
    "view_what_if": "ask about a row",
    "view_unknown": "(unknown)",
    "view_row_answer": "the answer is {answer}",
    "view_flip": "with {column} {value} it would be {answer}",
    "view_clear": "clear",
    "view_replay": "how it grew",
    "view_first": "first",
    "view_back": "back",
    "view_next": "next",
    "view_last": "last",
    # arguments
    "bad_whole_between": "{name}={value!r} cannot be used: it must be a whole number from {least} to {most}.",
    "not_whole": "{name}={value!r} cannot be used: it must be a whole number.",
    "not_whole_or_none": "{name}={value!r} cannot be used: it must be a whole number, or None.",
    "not_number": "{name}={value!r} cannot be used: it must be a number.",
    "not_number_or_none": "{name}={value!r} cannot be used: it must be a number, or None.",
    "not_text": "{name}={value!r} cannot be used: it must be a string.",
    "not_text_or_none": "{name}={value!r} cannot be used: it must be a string, or None.",
    "not_texts": "{name}={value!r} cannot be used: it must be a string or a list of strings.",
    "not_switch": "{name}={value!r} cannot be used: it must be True or False.",
    "not_switch_or_none": "{name}={value!r} cannot be used: it must be True, False or None.",
    "not_function": "{name}={value!r} cannot be used: it must be a function, or None.",
    "not_path": "{name}={value!r} cannot be used: it must be the path of a file or folder.",
    "not_tree": "{name}={value!r} cannot be used: it must be a tree, as penjing.fit and penjing.load return it.",
    "bad_options": "{name}={value!r} cannot be used: it must be the options of a recipe, such as penjing.RECIPES['rpart'].options.",
    "bad_target": "target={value!r} cannot be used: it must be the name of a column, False for none, or None.",
    "bad_separator": "{name}={value!r} cannot be used: it must be one character, such as ';' or '\\t'.",
    "bad_labels": "{source}: labels={value!r} cannot be used: give a list, an array or a series with one value for each row.",
    "bad_column_names": "{source}: names={value!r} cannot be used: give a list with the name of each column.",
    "write_option": "'{word}' is not an option of '{kind}'. Options: {known}.",
    "write_option_near": "'{word}' is not an option of '{kind}'. Options: {known}.\nDid you mean '{near}'?",
    "not_grown": "the function {name} returned {value!r}: it must return a tree, as penjing.fit does.",
    "not_two_names": "names={value!r} cannot be used: it must be two names, one for each tree.",
    "no_row": "{name}={value!r} cannot be used: the rows of this table are numbered from 0 to {last}.",
    "bad_rows": "{name}={value!r} cannot be used: it must be a list of row numbers below {n}, or a mask of {n} values True or False.",
    "not_labels": "{name}={value!r} cannot be used: give a list of texts or numbers, one for each row.",
    "bad_cut": "{name}={value!r} cannot be used: it must be a number that the values are compared with.",
    "cut_needs_numbers": "a cut compares numbers, and {value!r} is none.",
    "not_axes": "{name}={value!r} cannot be used: it must be axes of matplotlib, as plt.subplots() makes them, or None.",
    "cut_tolerance_too_large": "cut_tolerance={value!r} cannot be used: it must be at most half of gap, so that a threshold lies between two values.",
    "names_not_used": "{source}: the columns have names of their own, so names= is not needed. Leave it out.",
    "answers_not_numbers": "y holds {value!r}, and a regressor predicts numbers. For classes use a classifier, such as CARTClassifier.",
    "not_mapping": "{name}={value!r} cannot be used: it must be a dict, or None.",
    "not_nodes": "{name}={value!r} cannot be used: it must be a list of node numbers.",
    "no_node": "node={value!r} cannot be used: the nodes of this tree are numbered from 0 to {last}.",
    # recipes
    "bad_whole_number": (
        "{name}={value!r} cannot be used: it must be a whole number of at least {least}, or None."
    ),
    "bad_number": "{name}={value!r} cannot be used: it must be a number of at least 0.",
    "bad_max_features": (
        "max_features={value!r} cannot be used: it must be a whole number of at least 1, a share above 0"
        " and up to 1.0, sqrt, log2, or None."
    ),
    "bad_criterion": (
        "criterion={value!r} cannot be used. Give the name of a criterion, or a function that "
        "takes class counts along the last axis and returns how mixed they are."
    ),
    "kernel_differs": (
        "criterion '{name}' names the native kernel '{kernel}', but it scores class counts or columns "
        "differently. Leave native out, or name the kernel that computes the same."
    ),
    "missing_refused": (
        "column '{column}' has {n} missing values, and recipe '{recipe}' refuses them.\n"
        "Use recipe 'c4.5-textbook', or missing='fraction' or 'branch', or leave the column out."
    ),
    "missing_refused_one": (
        "column '{column}' has 1 missing value, and recipe '{recipe}' refuses it.\n"
        "Use recipe 'c4.5-textbook', or missing='fraction' or 'branch', or leave the column out."
    ),
    "variance_needs_number": (
        "criterion 'variance' needs a number to predict, and '{target}' has classes. "
        "Use 'gain', 'gain_ratio' or 'gini'."
    ),
    "measure_needs_classes": (
        "a function of class counts cannot judge '{target}', which is a number. "
        "Use criterion='variance'."
    ),
    "measure_not_finite": (
        "the criterion '{name}' says {value} of the class counts {counts}. It should return a "
        "finite number, 0 for a node of one class."
    ),
    "measure_failed": (
        "the criterion '{name}' cannot measure the class counts {counts}: {reason}. It should take "
        "the counts of a node and return one number."
    ),
    "needs_validation": (
        "pruning by '{method}' needs rows that decide it. Give validation= a file, a table, or a "
        "share such as 0.3."
    ),
    "no_target_in_table": (
        "the table has no target, so there is nothing to learn. Read it with target='column'."
    ),
    "weights_too_large": (
        "the weights of the rows add up to more than a number can hold. Divide them all by the same "
        "large number."
    ),
    "target_too_large": (
        "the squares of '{target}' add up to more than a number can hold. Divide it by a large "
        "number, or take its logarithm."
    ),
    "other_target": (
        "the table was read with target '{found}', not '{target}'. Read it again with "
        "target='{target}'."
    ),
    # functions for learners
    "nothing_to_count": "there is nothing to count. Give labels, or counts that are not all 0.",
    "not_counts": (
        "counts={value!r} cannot be used. Counts are numbers of at least 0: one per class for an "
        "entropy or Gini value, a row of them per value for a gain."
    ),
    "lengths_differ": (
        "{values} values and {labels} labels were given. Each row needs one of both, and there "
        "must be at least one row."
    ),
    # model files
    "no_model_file": "there is no model file {path}.",
    "cannot_write": "{path} cannot be written: {reason}.",
    "output_is_folder": "{path} is a folder. Give the name of a file.",
    "model_too_large": "{path} holds more than {limit}, which is more than a model may have.",
    "model_truncated": (
        "{path} ends in the middle: the model is cut off. Save it again, or get a whole copy."
    ),
    "model_not_json": "{path} is not a model file: it is not JSON as penjing writes it.",
    "model_newer": (
        "{path} has format {found}, and this penjing reads formats up to {known}. "
        "Install a newer penjing."
    ),
    "model_broken": "{path} is not a valid model: {at} should be {expected}.",
    "dict_not_a_tree": (
        "{found!r} is not a tree. A tree is a class, or a dict with one column that leads to a dict "
        "of its levels."
    ),
    "dict_holds_itself": "the dict holds itself, so it is no tree: following its branches never ends.",
    "dict_too_large": "the dict has more than {limit} dicts in it, counted along all branches. That is too large for a tree.",
    "dict_bad_level": (
        "column '{column}': {level!r} is not a level. Levels are texts or finite numbers, or tuples "
        "of them."
    ),
    "dict_level_twice": "column '{column}': level {level!r} has two branches at one node.",
    "dict_bad_cut": (
        "column '{column}': '{one}' and '{other}' do not divide the numbers. Write '<= c' and '> c', or"
        " '< c' and '>= c'; a category that is called so is written as a tuple: ('{one}',)."
    ),
    "dict_mixed_column": "column '{column}' is cut as a number and divided by levels in one tree.",
    # data
    "no_rows": "{source} has a header but no rows. A tree needs at least one row of data.",
    # choices
    "unknown_column": "column '{word}' is not in the table. It has: {known}.",
    "unknown_column_near": (
        "column '{word}' is not in the table. It has: {known}.\nDid you mean '{near}'?"
    ),
    "unknown_plug": "{socket} '{word}' is not known. Known: {known}.",
    "unknown_plug_near": "{socket} '{word}' is not known. Known: {known}. Closest: {near}.",
    "unknown_setting": "'{word}' is not a setting of recipe '{recipe}'. Settings: {known}.",
    "unknown_setting_near": (
        "'{word}' is not a setting of recipe '{recipe}'. Settings: {known}.\nDid you mean '{near}'?"
    ),
    # reading: what is wrong with a source
    "empty_file": "{source} is empty. A table needs a header line and at least one row.",
    "stdin_closed": "standard input is closed, so there is nothing to read from '-'.",
    "no_such_file": "{source} does not exist. Look at the path, or give '-' for standard input.",
    "unknown_example": "there is no built-in table '{word}'. `penjing examples` lists them.",
    "unknown_example_near": "there is no built-in table '{word}'. Did you mean '{near}'?",
    "no_such_file_near": "{source} does not exist. Did you mean '{near}'?",
    "is_a_directory": "{source} is a folder. Name a file in it.",
    "no_permission": "{source} may not be read by you. Ask for the permission, or copy it.",
    "unreadable_file": "{source} cannot be read: {reason}.",
    "too_much_to_read": "{source} holds more than {limit}, the most that may be read into memory. Take a part of its rows, or save it as a file and let `penjing fit` grow from disk.",
    "is_a_device": "{source} is a device, not a file.",
    "system_refuses": "{reason}: {path}.",
    "system_failed": "the operating system reports: {reason}.",
    "no_memory": "there is not enough memory for this. Take a part of the rows, or let `penjing fit` grow from disk.",
    "binary_file": (
        "{source} is not text. Give a CSV, TSV, ARFF, JSON, Parquet or C4.5 .names file;"
        " save a workbook as CSV first."
    ),
    "not_decodable": (
        '{source}, line {line}: the bytes are not {encoding}. Say what they are: encoding="gbk",'
        " or save the file as UTF-8."
    ),
    "no_encoding": (
        "{source} is not UTF-8, and GB18030, Big5 and cp1252 make no sense of it either."
        ' Say what it is: encoding="shift_jis", or save it as UTF-8.'
    ),
    "unknown_encoding": (
        "encoding '{encoding}' is not known. Usual ones: utf-8, gb18030, big5, cp1252, utf-16."
    ),
    "unknown_source": (
        "a table cannot be read from an object of type {kind}. Give a path, bytes, an open"
        " file, a frame, an array, a list of dicts, a list of rows, or a dict of rows."
    ),
    "ragged_row": (
        "{source}, row {row}: found {n} cells, expected {expected}."
        " Look for a missing or extra separator, or a cell that needs quotes."
    ),
    "ragged_row_one": (
        "{source}, row {row}: found {n} cell, expected {expected}."
        " Look for a missing or extra separator, or a cell that needs quotes."
    ),
    "open_quote": (
        "{source}, after row {row}: a quote is opened and never closed."
        " Close it, or write a quote inside a cell twice."
    ),
    "long_cell": (
        "{source}, after row {row}: a cell goes on for more than 131072 characters."
        " Is a quote opened and never closed?"
    ),
    "duplicate_column": (
        "{source}: columns {first} and {second} are both named '{column}'. Rename one of them."
    ),
    "no_target": (
        "{source} has no column that is clearly the target. Name one: target=… It has: {known}."
    ),
    "not_a_number": (
        "{source}, row {row}: '{column}' should be a number, found '{value}'.\n"
        "To treat it as missing: read(…, missing=[{value!r}])."
    ),
    "infinite_number": (
        "{source}, row {row}: '{column}' is infinite ('{value}'). A cut needs finite numbers:"
        " correct it, or treat it as missing: read(…, missing=[{value!r}])."
    ),
    "not_a_date": (
        "{source}, row {row}: '{column}' should be a date such as 2024-03-01, found '{value}'."
    ),
    "foreign_level": (
        "{source}, row {row}: '{value}' is not a level of '{column}'. Its levels: {known}."
    ),
    "foreign_level_near": (
        "{source}, row {row}: '{value}' is not a level of '{column}'. Its levels: {known}.\n"
        "Did you mean '{near}'?"
    ),
    "bad_weight": (
        "{source}, row {row}: the weight '{column}' is '{value}'. Weights are finite numbers,"
        " 0 or more."
    ),
    "bad_gzip": "{source} is a broken gzip file. Get it again, or unpack it first.",
    "bad_json": (
        "{source}, line {line}: this is not JSON. Give one object a line, or an array of objects."
    ),
    "bad_parquet": "{source} is not a Parquet file, or a broken one.",
    "bad_names": "{source} declares nothing. A .names file starts with the classes: yes, no.",
    "bad_names_entry": (
        "{source}: '{value}' is no attribute. Write one a line: name: value, value."
        " or name: continuous."
    ),
    "bad_arff": (
        "{source}, line {line}: '{value}' is no attribute. Write"
        " @attribute name {{value, value}}, or @attribute name numeric."
    ),
    "bad_arff_data": "{source} has no @attribute lines followed by @data.",
    "arff_kind": (
        "{source}, line {line}: '{column}' is of kind '{value}'. Known: numeric, real, integer,"
        " string, date, {{value, value}}."
    ),
    "sparse_arff": (
        "{source}, row {row}: sparse ARFF is not read. Save it in the dense form"
        " (in Weka: SparseToNonSparse)."
    ),
    "not_a_row": "{source}, row {row}: {value} is no row. Give lists of values, or dicts.",
    "nested_cell": (
        "{source}, row {row}: '{column}' holds {value}. A cell is a text, a number, a date or None."
    ),
    "uneven_column": "{source}: column '{column}' has {n} values, the first one has {expected}.",
    "names_count": "{source}: {n} names for {expected} columns.",
    "labels_count": "{source}: {n} labels for {expected} rows.",
    "array_shape": (
        "{source} is an array of {n} dimensions. Give two (rows and columns), or one of records."
    ),
    "empty_table": "{source} has no rows or no columns. A tree needs at least one of each.",
    "text_not_path": (
        "a path was expected, but this is a text of several lines: '{value}' …"
        " Give the text itself as bytes: text.encode()."
    ),
    "too_many_classes": (
        "{source}: the target '{column}' has {n} classes, most of them in one row only."
        " It names the rows; choose another target."
    ),
    "empty_target": "{source}: the target '{column}' has no values. Choose another target.",
    "no_weight": "{source}: no row that could teach has a weight above 0.",
    # reading: choices
    "unknown_kind": "'{word}' is not a kind for column '{column}'. Kinds: {known}.",
    "unknown_kind_near": (
        "'{word}' is not a kind for column '{column}'. Kinds: {known}.\nDid you mean '{near}'?"
    ),
    "bad_schema": (
        "schema of '{column}': {value!r} is not understood. Give a kind, a list of levels, or"
        ' {{"ordered": [levels]}}.'
    ),
    "schema_shape": (
        "schema={value!r} is not understood. Give a dict of columns, or the fields of a tree."
    ),
    "bad_levels": (
        "schema of '{column}': {value!r} should list each level once, and at least one."
    ),
    "bad_missing": (
        'missing={value!r} is not understood. Give a list of words to add, or {{"only": [words]}}.'
    ),
    # reading: notes
    "note_encoding": "{source} is read as {encoding}: it is not valid UTF-8.",
    "note_encoding_mark": "{source} is read as {encoding}: its byte order mark says so.",
    "note_stray_mark": (
        "a stray '?' before the first column's name was dropped (a lost byte order mark): {column}."
    ),
    "note_header_is_data": (
        "the first line of {source} looks like data (it starts with '{column}')."
        " If the file has no header: names=[…]."
    ),
    "note_nameless_column": "column {place} of {source} has no name; it is called '{column}'.",
    "note_left_out_id_name": "'{column}' is left out: it is named like an id and never repeats.",
    "note_left_out_id_count": "'{column}' is left out: it only counts the rows.",
    "note_left_out_id_text": (
        "'{column}' is left out: each of its {n} values occurs once, like a name."
    ),
    "note_left_out_empty": "'{column}' is left out: it has no values.",
    "note_left_out_date": (
        "'{column}' is left out: it holds dates ({value}). dates=\"month,weekday\" makes columns"
        " of them."
    ),
    "note_left_out_date_there": (
        "'{column}' is left out: it holds dates ({value}). Make columns of them, such as the month,"
        " in the table or in a query."
    ),
    "note_taken_as_value_there": (
        "'{value}' in '{column}' is taken as a value. If it means missing, make it NULL in the"
        " table or in a query."
    ),
    "note_odd_number_there": (
        "'{column}' holds numbers but for some values, such as '{value}'. It is taken as"
        " categories; if the value means missing, make it NULL in the table or in a query."
    ),
    "note_dates_made": "'{column}' became {made}.",
    "note_month_first": (
        "'{column}' is read with the month first ({value}): day first would fit as well."
    ),
    "note_trimmed": "blanks around the values of {n} columns were dropped: {columns}.",
    "note_trimmed_one": "blanks around the values of {columns} were dropped.",
    "note_taken_as_missing": (
        "'{value}' in '{column}' is taken as missing ({n} rows). If it is a value, list the"
        " column's levels in the schema."
    ),
    "note_taken_as_missing_one": (
        "'{value}' in '{column}' is taken as missing ({n} row). If it is a value, list the"
        " column's levels in the schema."
    ),
    "note_taken_as_value": (
        "'{value}' in '{column}' is taken as a value. If it means missing: missing=[{value!r}]."
    ),
    "note_disguised": "'{column}' is read as numbers: '{value}' as {number}.",
    "note_odd_number": (
        "'{column}' holds numbers but for some cells, the first in row {row}: '{value}'. It is"
        " taken as categories; if the cell means missing: missing=[{value!r}]."
    ),
    "note_many_levels": (
        "'{column}' has {n} levels: many for its rows. A tree may learn them by heart."
    ),
    "note_many_classes": "the target '{column}' has {n} classes: many for its rows.",
    "note_target_is_number": (
        "the target '{column}' is taken as a number, for a regression: it has {n} different whole"
        " numbers, more than {most}. If they are classes: schema={{{column!r}: 'nominal'}}."
    ),
    "note_target_named": (
        "the column '{column}' is taken as the target because of its name. Name another: target=."
    ),
    "note_target_last": "the last column, '{column}', is taken as the target.",
    "note_target_missing": "{n} rows without a value of '{column}' were dropped.",
    "note_target_missing_one": "{n} row without a value of '{column}' was dropped.",
    "note_zero_weight": "{n} rows have a weight of 0; only the minimum sizes of rpart count them.",
    "note_zero_weight_one": (
        "{n} row has a weight of 0; only the minimum sizes of rpart count it."
    ),
    # predicting
    "unseen_level": (
        "row {row}: '{value}' in column '{column}' was not among the training rows, which had:"
        " {known}.\nTo answer all the same, as the node that asks would: unseen='stop'."
    ),
    "value_missing": (
        "row {row}: column '{column}' has no value, and the tree asks for it.\n"
        "To answer all the same: missing='stop' or missing='fraction'."
    ),
    "shares_need_classes": (
        "the tree predicts '{target}', a number, so there are no class shares. Use predict."
    ),
    # pruning
    "pessimistic_needs_classes": (
        "pessimistic pruning counts errors, and '{target}' is a number.\n"
        "Use 'reduced-error' with validation rows."
    ),
    "pessimistic_needs_counts": (
        "pessimistic pruning goes by the counts of training rows, and this tree was made by hand"
        " without any.\nUse 'reduced-error' with validation rows, or fit a tree."
    ),
    "bad_confidence": (
        "confidence={value!r} cannot be used: it must be a number between 0 and 1, as 0.25."
    ),
    "validation_not_used": (
        "'{method}' pruning goes by the counts in the tree and looks at no validation rows."
        " Leave validation= out."
    ),
    "share_needs_rows": (
        "a tree does not keep its training rows, so validation={value!r} cannot be taken out of"
        " them.\nGive validation rows, or fit again with validation={value!r}."
    ),
    "folds_not_used": "'{method}' pruning has no folds; 'cost-complexity' has.",
    "folds_need_rows": (
        "folds={folds} leaves training rows out by turns, and they are not at hand.\n"
        "Name them: training=… in Python, --train FILE on the command line."
    ),
    "table_is_read": (
        "{name}= says how data are read, and a Table has been read already.\n"
        "Give it to `penjing.read`, which makes the Table."
    ),
    "unknown_option": "'{word}' is not an option of '{method}' pruning. Options: {known}.",
    "no_options": "'{method}' pruning has no options, and '{word}' was given. Leave it out.",
    "unknown_option_near": (
        "'{word}' is not an option of '{method}' pruning. Options: {known}.\nDid you mean '{near}'?"
    ),
    "prune_why_better": "a leaf does better",
    "prune_why_equal": "a leaf does as well",
    "prune_why_worse": "a leaf does worse",
    "prune_why_unreached": "no validation row comes here",
    # testing
    "test_needs_target": (
        "{source} has no column '{target}'. That is what the tree predicts, so right and wrong"
        " answers cannot be told apart without it."
    ),
    "test_without_rows": "no row of {source} has a value of '{target}': there is nothing to count.",
    "bad_max_loss": (
        "an accuracy of {value!r} cannot be lost (max_loss): it must be a number from 0 to 1, as 0.02."
    ),
    "bad_share": (
        "a share of {value!r} cannot be held out: it must be a number between 0 and 1, as 0.3."
    ),
    "too_few_to_hold_out": "{n} rows cannot be divided into training and validation rows.",
    "too_few_to_hold_out_one": "{n} row cannot be divided into training and validation rows.",
    "bad_folds": (
        "{n} rows cannot be divided into {value!r} folds. Use a whole number from 2 to the number"
        " of rows, or 'leave-one-out'."
    ),
    "bad_fold": "there is no fold {which!r} of {k}: folds are numbered from 0 to {last}.",
    "cannot_regrow": (
        "this tree was pruned by validation rows, which it does not keep, so it cannot be grown"
        " again on other rows.\nSay how: cross_validate(table, recipe, prune=…, validation=0.3)."
    ),
    "compare_kinds": (
        "one tree predicts classes and the other numbers ('{a}', '{b}'): they cannot be compared."
    ),
    # reports
    "report_accuracy": (
        "accuracy {correct}/{of} = {percent} %   (95 % interval {low} to {high} %)"
    ),
    "report_predicted": "predicted",
    "report_actual": "actual",
    "report_wrong": "wrong: {rows}",
    "report_wrong_row": "row {row} {actual}→{predicted}",
    "report_wrong_more": "{rows}, and {n} more",
    "report_unlabelled": "{n} rows without a value of '{target}' were left out.",
    "report_unlabelled_one": "{n} row without a value of '{target}' was left out.",
    "report_number": "root mean square error {rmse}, mean absolute error {mae}, R² {r2}   ({n} rows)",
    "report_number_one": (
        "root mean square error {rmse}, mean absolute error {mae}, R² {r2}   ({n} row)"
    ),
    # command: sentences and words that all verbs use
    "word_error": "error: ",
    "word_note": "note: ",
    "list_comma": ", ",
    "clause_comma": ", ",
    "clause_semicolon": "; ",
    "list_and": "{most} and {last}",
    "list_more": "{most} and {n} more",
    "numbers": "no one two three four five six seven eight nine ten",
    "n_rows": "{n} rows",
    "n_rows_one": "{n} row",
    "interrupted": "interrupted.",
    "our_fault": (
        "this should not have happened ({kind}: {what}). It is our fault, not yours.\n"
        "Please report it with what `--debug` prints."
    ),
    "saved": "saved as {path}.",
    "not_json_schema": (
        "--schema is not JSON, and there is no such file: {value}.\n"
        'Give a file, or JSON such as {{"size": "nominal"}}.'
    ),
    "schema_not_object": "the schema in {value} should be a JSON object: names and what they are.",
    "ask_target": "Which column is to be predicted? ({known})",
    # command: sentences of other rooms where an option says it better
    "text_not_path_cli": "'{value}' … does not exist. Look at the path: it has several lines.",
    "no_target_cli": (
        "{source} has no column that is clearly the target. Name one: --target COLUMN."
        " It has: {known}."
    ),
    "no_target_in_table_cli": (
        "the table has no target, so there is nothing to learn. Name one: --target COLUMN."
    ),
    "not_a_number_cli": (
        "{source}, row {row}: '{column}' should be a number, found '{value}'.\n"
        "To treat it as missing: --missing-marker '{value}'."
    ),
    "infinite_number_cli": (
        "{source}, row {row}: '{column}' is infinite ('{value}'). A cut needs finite numbers:"
        " correct it, or treat it as missing: --missing-marker '{value}'."
    ),
    "not_decodable_cli": (
        "{source}, line {line}: the bytes are not {encoding}. Say what they are: --encoding gbk,"
        " or save the file as UTF-8."
    ),
    "missing_refused_cli": (
        "column '{column}' has {n} missing values, and recipe '{recipe}' refuses them.\n"
        "Use --recipe c4.5-textbook, or --missing fraction, or --ignore '{column}'."
    ),
    "missing_refused_cli_one": (
        "column '{column}' has 1 missing value, and recipe '{recipe}' refuses it.\n"
        "Use --recipe c4.5-textbook, or --missing fraction, or --ignore '{column}'."
    ),
    "needs_validation_cli": (
        "pruning by '{method}' needs rows that decide it. Give --validate FILE, or"
        " --validate-share 0.3."
    ),
    "validation_not_used_cli": (
        "'{method}' pruning goes by the counts in the tree and looks at no validation rows."
        " Leave --validate out."
    ),
    "cannot_regrow_cli": (
        "this tree was pruned by validation rows, which it does not keep, so it cannot be grown"
        " again on other rows."
    ),
    "unseen_level_cli": (
        "row {row}: '{value}' in column '{column}' was not among the training rows, which had:"
        " {known}.\nTo answer all the same, as the node that asks would: --unseen stop."
    ),
    "note_left_out_date_cli": (
        "'{column}' is left out: it holds dates ({value}). --dates month,weekday makes columns of"
        " them."
    ),
    "note_target_named_cli": (
        "the column '{column}' is taken as the target because of its name."
        " Name another: --target COLUMN."
    ),
    "note_target_is_number_cli": (
        "the target '{column}' is taken as a number, for a regression: it has {n} different whole"
        " numbers, more than {most}. If they are classes, say so in --schema."
    ),
    "note_taken_as_missing_cli": (
        "'{value}' in '{column}' is taken as missing ({n} rows). If it is a value, list the"
        " column's levels: --schema."
    ),
    "note_taken_as_missing_cli_one": (
        "'{value}' in '{column}' is taken as missing ({n} row). If it is a value, list the"
        " column's levels: --schema."
    ),
    "note_taken_as_value_cli": (
        "'{value}' in '{column}' is taken as a value. If it means missing:"
        " --missing-marker '{value}'."
    ),
    "note_odd_number_cli": (
        "'{column}' holds numbers but for some cells, the first in row {row}: '{value}'. It is"
        " taken as categories; if the cell means missing: --missing-marker '{value}'."
    ),
    "note_header_is_data_cli": (
        "the first line of {source} looks like data (it starts with '{column}')."
        " If the file has no header: --names A,B,…"
    ),
    # command: check
    "check_head": "{source}   {rows}, {columns}, {encoding}",
    "check_columns": "{n} columns",
    "check_columns_one": "{n} column",
    "check_not_utf8": "{encoding} (not valid UTF-8)",
    "check_told": "{encoding} (as told)",
    "kind_nominal": "category",
    "kind_numeric": "number",
    "kind_ordered": "ordered",
    "kind_target": "target",
    "kind_id": "id",
    "kind_date": "date",
    "kind_empty": "empty",
    "kind_weight": "weight",
    "kind_ignored": "ignored",
    "kind_other": "other",
    "check_range": "{low} to {high}, {n} values",
    "check_range_one": "{low}, {n} value",
    "check_more": "{n} more",
    "check_left_out": "left out",
    "check_missing": "{n} missing",
    "note_same_rows": "rows {rows} are the same.",
    "note_same_rows_more": "{n} more groups of rows are the same.",
    "note_same_rows_more_one": "{n} more group of rows is the same.",
    "note_contradiction": "rows {rows} are the same but for the label ({labels}).",
    "note_contradictions_more": "{n} more groups of rows differ in the label only.",
    "note_contradictions_more_one": "{n} more group of rows differs in the label only.",
    "note_ceiling": "no tree can get more than {right} of these {of} rows right.",
    "note_shared_out": (
        "{leaves} leaves from {n} rows: rows without a value are shared out over all branches.\n"
        "--min-weight 1 divides no node that holds less than one row."
    ),
    "note_one_class": "every row is '{class_}': the tree is one leaf.",
    # command: fit, show
    "summary": "{leaves}, {depth}",
    "summary_training": "{leaves}, {depth}, {training}",
    "ties": "{n} ties settled by column order: {ties}",
    "ties_one": "{n} tie settled by column order: {ties}",
    "tie_columns": "{columns} = … ({n} columns)",
    "tie_under": "{columns} ({score}) under {place}",
    "tie_at_root": "{columns} ({score}) at the root",
    "ties_more": "{ties}, and {n} more",
    "gain_and_ratio": (
        "at the root {gainer} gains more ({more} to {less}),"
        " {chosen} has the better ratio ({better} to {worse})."
    ),
    "sibling": "--recipe {recipe} gives another tree: {leaves}, {right}/{of}.",
    "sibling_penalty": (
        "--recipe {recipe} lowers the gain of numeric columns and starts with {column}:"
        " {leaves}, {right}/{of}."
    ),
    "note_empty_branches": (
        "{n} branches had no training row and are not drawn; `penjing show --empty` draws them."
    ),
    "note_empty_branches_one": (
        "{n} branch had no training row and is not drawn; `penjing show --empty` draws it."
    ),
    "note_grown_from": "grown from {n} of {of} rows; the other {rest} decide the pruning.",
    "note_no_trace": (
        "no trace is kept, since it would be large. `penjing why` and `penjing trace` read the"
        " training file\ninstead. To keep it all the same: --trace."
    ),
    "note_no_trace_disk": (
        "no trace is kept with engine disk. `penjing why` and `penjing trace` read the training"
        " file instead.\nTo keep it all the same: --trace."
    ),
    "trace_large": (
        "the trace does not cover every node; `penjing why` computes the others from the training"
        " file."
    ),
    # command: why
    "why_head": "{place}, {rows}, {mixed}, {measure}",
    "why_head_empty": "{place}, {rows}",
    "why_head_number": "{place}, {rows}, mean {mean}, Var(D) = {variance}",
    "why_column": "column",
    "why_ent_after": "Ent after",
    "why_var_after": "Var after",
    "why_gain": "gain",
    "why_split_information": "IV",
    "why_ratio": "ratio",
    "why_gini": "Gini",
    "why_own": "own",
    "why_missing": "missing",
    "why_cut": "cut",
    "why_chosen": "chosen",
    "why_equal": "tie",
    "why_below": "gain below average",
    "why_no_gain": "no gain",
    "why_no_average": "no average gain to compare with",
    "why_many_levels": "too many categories",
    "why_screened": "gain or split information too small",
    "why_costly": "no allowed cut gains more than it costs",
    "why_not_allowed": "no allowed division gains",
    "why_best": "best",
    "why_score": "score",
    "why_rules_quinlan": (
        "The score decides: the gain, less log2(cuts tried)/rows for a cut, over the split"
        " information with missing values as one more part; - stands for a column left out."
    ),
    "why_rules_c50": (
        "The score decides: the gain, less log2 of the cuts tried (or of range/gap, if smaller) over"
        " the rows for a cut, over the split information; - stands for a column left out."
    ),
    "why_rules_rpart": (
        "The score decides: rpart's improvement (for a number, as a share of the node's squares)."
    ),
    "why_rules_sklearn": "The score decides: scikit-learn's decrease of impurity.",
    "why_silent": "{columns} cannot divide these rows.",
    "why_tied": "tie: {columns} score the same; the first column, {chosen}, is asked.",
    "why_cuts_hidden": "{n} cuts of lower gain are not kept.",
    "why_cuts_hidden_one": "{n} cut of lower gain is not kept.",
    "why_hint": "--all fills in the formulas of every column; --cuts COLUMN lists all its cuts.",
    "no_trace": (
        "the model has no trace of how it was grown.\n"
        "Give the training rows (data=…), or fit it again with trace=True."
    ),
    "no_trace_cli": (
        "the model has no trace of how it was grown.\n"
        "Give the training rows: --train FILE; or keep the trace: penjing fit --trace."
    ),
    "no_trace_pruned": (
        "the model was pruned, and has no trace of how it was grown.\n"
        "Give the training rows (data=…), or look at the model from before."
    ),
    "no_trace_pruned_cli": (
        "the model was pruned, and has no trace of how it was grown.\n"
        "Give the training rows: --train FILE; or look at the model from before."
    ),
    "no_trace_here": ("the trace does not cover node {node}. Give the training rows (data=…)."),
    "no_trace_here_cli": (
        "the trace does not cover node {node}. Give the training rows: --train FILE."
    ),
    "no_such_node": "there is no node {node}. Nodes are numbered from 0 (the root) to {last}.",
    "no_such_branch": "the question '{column}' has no branch '{word}'. It has: {known}.",
    "no_such_branch_near": (
        "the question '{column}' has no branch '{word}'. It has: {known}.\nDid you mean '{near}'?"
    ),
    "no_branch_of_leaf": "the path '{word}' goes on where the tree has a leaf.",
    "no_cuts": "column '{column}' offers no cuts here. Columns that do: {known}.",
    "stop_pure": "a leaf, {answer}: all rows are of one class (condition 1).",
    "stop_alike": (
        "a leaf, {answer}: no column is left that tells these rows apart (condition 2)."
    ),
    "stop_empty": (
        "a leaf, {answer}: no training row came this way; its parent's majority answers"
        " (condition 3)."
    ),
    "stop_max_depth": "a leaf, {answer}: the limit of depth is reached.",
    "stop_min_weight": "a leaf, {answer}: it has too few rows to be divided.",
    "stop_no_gain": "a leaf, {answer}: no division that the recipe allows gains enough.",
    "stop_min_gain": "a leaf, {answer}: the best division gains too little.",
    "stop_max_leaves": "a leaf, {answer}: the limit of leaves is reached.",
    "stop_validation": "a leaf, {answer}: the division did not help the validation rows.",
    "stop_pruned": "a leaf, {answer}: its question was pruned.",
    "stop_by_hand": "a leaf, {answer}: whoever made the tree asks no more here.",
    # command: trace
    "story_head_by_hand": (
        "How {rows} rows go through the tree for {target} that was made by hand: nodes {n}. Logs are"
        " base 2."
    ),
    "story_head": (
        "How the tree for {target} grew from {rows} rows by {recipe}, in {n} steps. Logs are base 2."
    ),
    "story_head_one": (
        "How the tree for {target} grew from {rows} rows by {recipe}, in {n} step. Logs are base 2."
    ),
    "story_step": "step {i} of {n}: {place}",
    "story_more": "{n} more steps; --steps 0 tells all.",
    "story_more_one": "{n} more step; --steps 0 tells all.",
    "story_cut_short": "The trace does not cover every node; `penjing why` computes the others from the training rows.",
    "story_label_rows": "rows",
    "story_label_stop": "stop?",
    "story_label_weigh": "weigh",
    "story_label_choose": "choose",
    "story_label_branches": "branches",
    "story_label_empty": "no rows",
    "story_label_leaf": "leaf",
    "story_rows": "{n}: {mixed}",
    "story_which_rows": "{n} ({which}): {mixed}",
    "story_mean": "mean {mean}, variance {variance}",
    "story_is_pure": "one class only: ",
    "story_is_pure_number": "one number only: ",
    "story_is_alike": "no column tells them apart: ",
    "story_is_max_depth": "depth {limit} reached: ",
    "story_is_min_weight": "lighter than {limit}: ",
    "story_is_min_gain": "best gain below {limit}: ",
    "story_is_no_gain": "no division that is allowed gains enough: ",
    "story_is_complexity": "no division saves enough for the leaves it adds (complexity {limit}): ",
    "story_is_validation": "no help to the validation rows: ",
    "story_is_max_leaves": "{limit} leaves reached: ",
    "story_is_pruned": "pruned: ",
    "story_is_by_hand": "by hand: ",
    "story_yes": "yes",
    "story_no": "no",
    "story_semicolon": "; ",
    "story_weighed": "{all} ({measure})",
    "story_by_gain": "information gain",
    "story_by_gain_ratio": "gain ratio",
    "story_by_gini": "Gini index, smallest wins",
    "story_by_variance": "decrease of variance",
    "story_by_gini_gain": "decrease of the Gini index",
    "story_by_quinlan_gain": "score: the gain less the cost of a cut",
    "story_by_quinlan_gain_ratio": (
        "score: the gain less the cost of a cut, over the split information"
    ),
    "story_by_rpart": "score: rpart's improvement",
    "story_by_sklearn": "score: scikit-learn's decrease of impurity",
    "story_out_below": "below the average gain: {columns}",
    "story_out_no_gain": "no gain: {columns}",
    "story_out_no_average": (
        "no column counts for the average gain that C4.5 asks for, so none is compared: {columns}"
    ),
    "story_out_many_levels": "too many categories for the number of rows: {columns}",
    "story_out_screened": "gain or split information too small for the recipe: {columns}",
    "story_out_costly": "no allowed cut gains more than it costs: {columns}",
    "story_out_not_allowed": "no allowed division gains: {columns}",
    "story_tie": "{chosen}; a tie with {columns}, settled by column order",
    "story_alone": "{chosen}, {score}; no other column takes part",
    "story_chosen": "{chosen}, ahead of {rival} by {ahead}",
    "story_chosen_less": "{chosen}, smaller than {rival} by {ahead}",
    "story_empty": "{levels}: no row has it; a leaf of the majority here, {answer}",
    "story_leaf": "{answer}",
    # command: prune
    "prune_step": "step",
    "prune_subtree": "subtree",
    "prune_rows": "rows",
    "prune_errors": "errors kept",
    "prune_bits": "bits kept",
    "prune_costs": "cost kept",
    "prune_correct": "right kept",
    "prune_squares": "squares kept",
    "prune_leaf": "as leaf",
    "prune_decision": "decision",
    "prune_cut": "prune {arrow} {answer}",
    "prune_keep": "keep",
    "nothing_to_prune": "nothing to prune: {what}.",
    "pruned_head": "How it was pruned ({method}), {n} decisions:",
    "pruned_head_one": "How it was pruned ({method}), {n} decision:",
    "pruned_step": "{place}: {measure} {kept}, as leaf {as_leaf}: {decided}",
    "pruned_node": "node {node} of the tree before",
    "pruned_here": "node {now} ({path}; {node} before)",
    "pruned_gone": "below node {now} ({path}; {node} before)",
    "pruned_cut": "pruned",
    "pruned_keep": "kept",
    "pruned_raise": "its largest branch took its place",
    "prune_leaves": "leaves {before} before, {after} after",
    "prune_before_after": "{name} {before} before, {after} after",
    "name_training": "training",
    "name_validation": "validation",
    "name_test": "test",
    "name_leave_one_out": "leave one out",
    "bad_pairs": (
        "--{name} is {value}: expected name=number,name=number (yes=0.3,no=0.7) or JSON "
        '({{"yes": 0.3, "no": 0.7}}).'
    ),
    "settings_clash": (
        "{one} and {other} both say what `{name}` is, and say different things. Give one of them."
    ),
    "bad_set": "--set {word} is not understood. Give a setting and its value: --set min_gain=0.1.",
    "prune_summary": "{method}: {what}.",
    "method_prepruned": "pre-pruning",
    "method_reduced_error": "reduced-error pruning",
    "method_pessimistic": "pessimistic pruning",
    "n_training": "training {right}/{of}",
    "n_validation": "validation {right}/{of}",
    "n_test": "test {right}/{of}",
    "n_leave_one_out": "leave one out {right}/{of}",
    "same_file": (
        "the file that decides the pruning is also the file that reports the accuracy.\n"
        "That number is not a test. Use --validate-share 0.3, or --same-file to do it all the same."
    ),
    "note_other_rows": (
        "{source} has {n} rows, but the tree was grown from {grown}. It is not the training set,"
        " so some numbers are the tree's and others are those of {source}."
    ),
    "note_other_classes": (
        "{source} is not the training set: its class counts differ from those of the tree."
        " Some numbers are the tree's and others are those of {source}."
    ),
    "note_other_file": (
        "{source} is not the training file of this tree: its content differs."
        " The candidates are computed from {source}."
    ),
    "plugins_criterion": "criteria",
    "plugins_dialect": "dialects",
    "plugins_pruner": "pruning methods",
    "plugins_engine": "engines",
    "plugins_renderer": "renderers",
    "plugins_export": "exports",
    "note_command_renamed": "penjing {old} is now called penjing {new}; the next release will not know the old name.",
    "old_module": "the module {old} is now {new}; penjing 0.3 will not have the old name.",
    "old_entry_point": "the plug-in '{name}' uses the entry-point group {old}, which is now called {new}; penjing 0.3 will not read the old group.",
    "note_option_renamed": "{old} is now called {new}; the next release will not know the old name.",
    "note_same_file": "the same rows decide the pruning and report: this number is not a test.",
    "two_validations": "give --validate FILE or --validate-share, not both.",
    "share_needs_training": (
        "--validate-share takes its rows out of the training rows, and these are not at hand.\n"
        "Name them: --train FILE."
    ),
    "note_other_markers": "the missing markers are {said}, as given. The model was trained with {kept}.",
    "schema_not_models": "the model takes '{column}' as {kind}, so --schema cannot make it another kind here. Train a model with that schema.",
    "ignored_is_asked": "the tree splits on '{column}', so it cannot be left out here. Train a model with --ignore '{column}'.",
    "note_training_tested": (
        "{source} is the file the tree was grown from: this says how well it fits, not how well"
        " it predicts."
    ),
    "note_training_validates": (
        "{source} is the file the tree was grown from: it cannot say what to prune."
    ),
    "note_training_rows_tested": (
        "{source} has the same rows as the file the tree was grown from: this says how well it fits,"
        " not how well\nit predicts."
    ),
    "note_validation_tested": "{source} decided the pruning of this tree: it is not a test of it.",
    # command: test
    "test_name": "test",
    "test_why": "why: {equal}",
    "test_equal_one": "row {row} equals training row {train} but carries the other label.",
    "test_equal_all": "they equal training rows {train} but carry the other label.",
    "test_equal_some": ("rows {rows} equal training rows {train} but carry the other label."),
    "test_ceiling": "A tree that fits all of {train} cannot pass {right}/{of} on this file.",
    "test_ceiling_indent": "     ",
    "test_class": "class",
    "test_precision": "precision",
    "test_recall": "recall",
    "test_support": "rows",
    "test_below": "accuracy {accuracy} is below {demanded}.",
    "test_no_accuracy": "--min-accuracy needs classes, and '{target}' is a number.",
    # command: compare
    "compare_leaves": "leaves",
    "compare_training": "training",
    "compare_leave_one_out": "leave one out",
    "compare_agree": "They answer every {name} row alike.",
    "compare_differ_one": "They differ on {name} row {rows} only.",
    "compare_differ": "They differ on {name} rows {rows}.",
    "compare_evidence_one": "{number} row of {of} is no evidence that {claim}",
    "compare_evidence": "{number} rows of {of} are no evidence that {claim}",
    "compare_claim_pruning": "pruning helps",
    "compare_claim": "one is better",
    "compare_clear": "{better} is better on {n} of the {of} rows where one is right: p = {p}",
    "compare_loo_agrees": "; leave-one-out agrees in sign.",
    "compare_loo_disagrees": "; leave-one-out says the opposite.",
    "compare_loo_equal": "; leave-one-out cannot tell them apart.",
    "compare_loo_none": ".",
    "compare_same": "The trees ask the same questions and give the same answers.",
    "compare_one_tie": "They differ in one tie only: {what}.",
    "compare_differences": "They part at {n} places: {what}.",
    "compare_differences_one": "They part at one place: {what}.",
    "compare_tie": "{place}, {a} and {b} tie ({score})",
    "compare_column": "{place}, {a} against {b}",
    "compare_cut": "{place}, {a} against {b}",
    "compare_groups": "{place}, the levels of {a} are grouped differently",
    "compare_leaf": "{place}, {a} against {b}",
    "compare_answer": "{place}, {a} against {b}",
    "compare_at_root": "at the root",
    "compare_at": "at {place}",
    "compare_question": "the question {column}",
    "compare_the_answer": "the answer {answer}",
    "note_no_leave_one_out": (
        "leave one out is left out: {of} rows are more than {limit}. --leave-one-out does it."
    ),
    "note_no_regrow": "{name} has no leave-one-out number: {why}",
    # command: predict
    "cannot_encode": (
        "the output cannot be written as {encoding}: it has no place for '{character}'."
        " Use --output-encoding utf-8 or gb18030."
    ),
    # command: recipes, plugs
    "recipes_choice": "Choosing a division",
    "recipes_cuts": "Cuts of numbers",
    "recipes_sizes": "Sizes",
    "recipes_missing": "Missing values, unseen levels",
    "recipes_costs": "Costs and probabilities",
    "recipes_pruning": "Pruning",
    "recipes_foot": "In brackets: fixed by the rules. · : not known to the recipe. cart is another name of rpart.\n"
    "One recipe with the meaning of each setting: penjing recipes NAME. Change one: --set NAME=VALUE.",
    "setting_rules": "whose minimum sizes, tolerances and ties",
    "setting_criterion": "what measures a division",
    "setting_shape": "branches of a nominal column",
    "setting_zero_gain": "whether a division that gains nothing may be chosen",
    "setting_min_gain": "least gain of a division",
    "setting_many_levels": "columns with this share of the rows as levels are left out of the average gain",
    "setting_slack": "what numbers may differ by in the screens (average gain, split information, collapsing)",
    "setting_ties": "which of equal divisions is taken",
    "setting_tolerance": "numbers closer than this are equal",
    "setting_precision": "32 or 64 bits",
    "setting_sums": "whether sums depend on the order of rows, as in C4.5 and rpart",
    "setting_nominal": "what becomes of nominal columns",
    "setting_max_features": "how many columns are drawn for a node",
    "setting_random_state": "the seed that columns are drawn by",
    "setting_random_start": "where the generator of columns starts, in place of a seed",
    "setting_cut_at": "where a cut lies: half-way, or at a training value below that",
    "setting_cut_tolerance": "how far above the midpoint that value may lie",
    "setting_cut_cost": "whether a cut costs log2(cuts tried) / rows",
    "setting_gap": "values closer than this are not parted",
    "setting_side_share": "least share of the known weight per class on each side of a cut",
    "setting_side_most": "most that this share can ask for",
    "setting_min_branch": "least weight that two branches must have",
    "setting_min_weight": "least weight of a node to divide",
    "setting_max_depth": "most questions on a path",
    "setting_max_leaves": "most leaves",
    "setting_minsplit": "least rows of a node to divide",
    "setting_minbucket": "least rows of each side (none: minsplit / 3)",
    "setting_min_samples_split": "least rows of a node to divide",
    "setting_min_samples_leaf": "least rows of each side",
    "setting_min_weight_fraction_leaf": "least weight of each side, as a share of all",
    "setting_min_impurity_decrease": "least decrease of the whole tree's impurity",
    "setting_minimum_slips": "whether the minimum falls to 1 as in C4.5 -s",
    "setting_missing": "what becomes of rows without a value",
    "setting_unseen": "what becomes of a level that training never saw",
    "setting_empty": "what a branch without rows answers",
    "setting_usesurrogate": "0 rows stay, 1 surrogates send them on, 2 else the majority does",
    "setting_maxsurrogate": "most surrogates of a question",
    "setting_surrogatestyle": "of which rows agreement is counted",
    "setting_prior": "how likely each class is",
    "setting_loss": "what each wrong answer costs",
    "setting_class_weight": "what a row of each class weighs",
    "setting_cost": "what asking about a column costs",
    "setting_laplace": "class shares (n + 1) / (N + classes)",
    "setting_pruning": "how the tree is pruned",
    "setting_collapse": "whether subtrees that save no training error go",
    "setting_confidence": "CF of error-based pruning",
    "setting_deviate": "the normal deviate: C4.5's table, or the quantile",
    "setting_last_errors": "part of the cases not yet wrong that is added near all wrong",
    "setting_raise_branches": "whether the largest branch may replace its parent",
    "setting_least_gain": "a column that gains less is not looked at",
    "setting_screen_share": "share of the least gain that a column must have",
    "setting_screen_few": "up to so many rows a class, the least gain is the average",
    "setting_screen_many": "from so many rows a class on, it is 0.9 log2(columns) / rows",
    "setting_near_ties": "ratios within this share of the best: fewer branches win, then the gain",
    "setting_pure_share": "a node is pure when one class has so much of it",
    "setting_numbers": "whether the table's numbers are compared in 32 or 64 bits",
    "setting_gap_cost": "whether a cut in a wide gap costs less",
    "setting_collapse_share": "subtrees with this share of a leaf's errors go",
    "setting_pool": "whether branches lighter than min_branch are estimated together",
    "setting_raise_share": "least share of the rows of a branch that replaces its parent",
    "setting_regrow_share": "with a smaller share it is grown anew",
    "setting_global_pruning": "whether weak subtrees go within one standard error",
    "setting_gather": "whether leaves of one class below a nominal question become one",
    "setting_cp": "least decrease of risk per leaf, as a share of the root's",
    "setting_alpha": "the same as such",
    "setting_ccp_alpha": "impurity that a leaf costs",
    "setting_xval": "groups of the cross-validated cp table",
    "setting_loss_transposed": "whether cross-validation takes losses the wrong way round, as rpart does",
    "setting_stuck_repeats": "whether a stuck row is charged as the row before it, as rpart does",
    "progress": "growing: {leaves} leaves, {rows} rows in place",
    # c4.5, j48
    "quinlan_needs_classes": (
        "recipes 'c4.5', 'j48' and 'c5.0' need classes to predict, and '{target}' is a number. "
        "Use recipe 'cart'."
    ),
    "sums_need_single": "sums='cases' is C4.5's arithmetic in 32 bits. Use it with precision='single'.",
    "c50_subsets": (
        "C5.0's option -s groups levels by a measure that is published nowhere, so the recipe c5.0\n"
        "has no -s. Use c5.0 without it, or recipe c4.5 with -s."
    ),
    "c50_rules": (
        "C5.0's option -r turns a tree into rules; a fit gives the tree. Fit without -r, then ask\n"
        "for rules: tree.ruleset(rows, votes=True), or: penjing ruleset MODEL --train ROWS --votes"
    ),
    "below_needs_rows": (
        "growing a tree from a node needs its rows, which this engine does not have. "
        "Use the native or the memory engine."
    ),
    "cases_need_rows": (
        "sums='cases' adds up rows one by one, and this engine knows only their sums.\n"
        "Use engine='native' or engine='memory', or sums='exact'."
    ),
    "sums_need_native": (
        "sums='cases' needs the native engine, a branch for each level, and no trace.\n"
        "Use engine='native', or sums='exact'."
    ),
    "raising_needs_rows": (
        "raising branches needs the training rows, and they are not at hand.\n"
        "Name them (training=… in Python, --train FILE on the command line), or prune without raising:\n"
        "raise_branches=False, --no-raise."
    ),
    # estimators
    "needs_sklearn": "penjing.{name} needs scikit-learn, which is not installed: pip install 'penjing[sklearn]'.",
    "no_answers": (
        "a tree requires y to be passed, but the target y is None. Give the answer of each row: fit(X, y)."
    ),
    "missing_feature": (
        "X, row {row}, column '{column}': the value is missing (NaN), and this recipe refuses missing values."
        " Set missing='fraction', or take another recipe."
    ),
    "other_features": (
        "The feature names should match those that were passed during fit. Expected: {expected}. Found: {found}."
    ),
    "sparse_refused": (
        "X or y is a sparse matrix, and sparse input is not supported. Make it dense first: X.toarray()."
    ),
    "outputs_refused": (
        "y has {n} columns, and several outputs are not supported: grow a tree for each of them"
        " (sklearn.multioutput does)."
    ),
    "nested_argument": (
        "{source}, row {row}, column '{column}': {value} is neither. Each argument must be a string or a number."
    ),
    "dates_in_feature": (
        "{source}, column '{column}' holds dates. Make numbers of them first: year, month, weekday, days since."
    ),
    "bad_weight_fraction": (
        "min_weight_fraction_leaf={value!r} cannot be used: it must be a share from 0 to 0.5."
    ),
    "weight_fraction_unknown": (
        "recipe '{recipe}' counts rows, not weight: use min_samples_leaf instead of min_weight_fraction_leaf."
    ),
    "not_a_fitted_tree": (
        "{kind} holds no fitted tree of scikit-learn. Fit it first; of a pipeline give the last step, of a forest"
        " one of estimators_."
    ),
    # rpart, scikit-learn, cost-complexity
    "bad_length": "{name} has {n} values, and {expected} are needed.",
    "only_for_classes": "{name} is for classes, and '{target}' is a number. Leave it out.",
    "bad_numbers": (
        "{name}={value!r} cannot be used. Give numbers by name, or all of them in order: {example}."
    ),
    "bad_random_state": (
        "{name}={value!r} cannot be used: it must be a whole number from 0 to 4294967295, or None."
    ),
    "bad_cost": "cost={value!r} cannot be used: what a question costs is a number above 0.",
    "bad_prior": "prior={value!r} cannot be used: priors are at least 0 and their sum is 1.",
    "bad_loss": (
        "the loss matrix cannot be used: it must have {n} rows of {n} numbers of at least 0, with 0"
        " on the diagonal and something above 0 in each row."
    ),
    "too_many_levels": (
        "column '{column}' has {n} levels in one node: with more than two classes all groupings are"
        " tried, and beyond {most} levels they are too many.\nDeclare its order, merge levels, or"
        " leave the column out."
    ),
    "nominal_refused": (
        "column '{column}' is nominal, and scikit-learn knows numbers only. Code it as numbers, or"
        " use nominal='position'."
    ),
    "too_large_single": (
        "column '{column}' holds {value!r}, which is too large for 32 bits. Scale the column, or use"
        " precision='double'."
    ),
    "unknown_class": "{option} names the class '{word}', which is not in the table: {known}.",
    "unknown_class_near": (
        "{option} names the class '{word}', which is not in the table: {known}. Closest: {near}."
    ),
    "needs_cp_table": (
        "pruning by cost-complexity needs alpha or cp, or a tree with a cross-validated table.\n"
        "Grow it with recipe 'rpart' and xval=10."
    ),
    "complexity_needs_counts": (
        "pruning by cost-complexity needs the counts of training rows, and this tree was made by hand."
    ),
    "complexity_needs_two": (
        "rpart's complexities are for questions with two answers, and one here has {n}."
    ),
    "stop_complexity": "a leaf, {answer}: no division can save enough for the leaves it adds.",
    # exports
    "export_option": "'{word}' is not an option of the '{kind}' export. Options: {known}.",
    "export_option_near": (
        "'{word}' is not an option of the '{kind}' export. Options: {known}.\nDid you mean '{near}'?"
    ),
    "export_missing_error": "An exported program cannot refuse a missing value. Export to {kind} with missing='stop' or missing='fraction', or leave it as the tree was grown.",
    "export_alike": "Column '{column}' has two levels that read '{level}', and a {kind} program knows levels by their text only. Rename one of them and fit again.",
    "export_text": "{text} holds a character that {kind} cannot hold. Rename it and fit again.",
    "export_no_shares": "This tree sends a row without a value down every branch, by parts, which {kind} cannot. Export it with missing='stop', and predict with missing='stop' for equal answers.",
    "export_no_shares_cli": "This tree sends a row without a value down every branch, by parts, which {kind} cannot. Export it with --missing stop.",
    "export_no_error": "This tree refuses levels that it never saw, and {kind} cannot refuse a row. Export it with unseen='stop' or unseen='missing'.",
    "export_no_error_cli": "This tree refuses levels that it never saw, and {kind} cannot refuse a row. Export it with --unseen stop or --unseen missing.",
    "export_too_deep": "{depth} questions stand inside each other, more than the {limit} that {kind} can nest. Prune the tree, or export it to python, c, javascript or java.",
    "export_too_long": "The {kind} text would be longer than the {limit} characters allowed. Prune the tree, or export it to another kind.",
    "export_too_many": "The tree needs {n} cells, more than the {limit} of a {kind} export. Prune it, or export it to python, c, javascript or java.",
    "export_table": "{value!r} cannot be the name of a table.",
    "export_names": "Two columns differ only by capitals, and {kind} takes them for one. Rename one of them and fit again.",
    "export_costs": "This tree weighs what mistakes cost and shares rows out; a {kind} query cannot do both. Export it with missing='stop', or to another kind.",
    "export_needs": "The {kind} export needs the package {package}: pip install 'penjing[export]'.",
    "export_class_name": "{value!r} cannot be the name of a class in Java: letters, digits and _ only, no digit first, and no word that Java or the program itself uses.",
    "export_cell": "{value!r} is no cell for column '{column}'. Give one such as B2.",
    "export_empty_level": "Column '{column}' has an empty text among its levels, which {kind} needs for missing values. Rename the level and fit again.",
    "export_bytes": "{kind} is no text. Name a file: -o tree.{kind}.",
    "export_cells": "cells: {cells}",
    # curves and the report
    "curve_learning": "Learning curve",
    "curve_pruning": "Pruning curve",
    "curve_calibration": "Calibration",
    "curve_rows": "rows",
    "curve_leaves": "leaves",
    "curve_alpha": "alpha",
    "curve_train": "training",
    "curve_test": "test",
    "curve_accuracy": "accuracy",
    "curve_rmse": "RMSE",
    "curve_said": "said",
    "curve_right": "right",
    "curve_ideal": "as sure as right",
    "curve_weight": "rows",
    "dossier_size": "{leaves} leaves, depth {depth}",
    "dossier_provenance": "Where it comes from",
    "dossier_recipe": "recipe",
    "dossier_by_hand": "made by hand",
    "dossier_source": "training rows",
    "dossier_hash": "SHA-256",
    "dossier_rows": "number of rows",
    "dossier_pruning": "pruned by",
    "dossier_version": "written by",
    "dossier_data": "Training rows",
    "dossier_name": "column",
    "dossier_kind": "kind",
    "dossier_missing": "missing",
    "dossier_values": "values",
    "dossier_tree": "Tree",
    "dossier_rules": "Rules",
    "dossier_more": "and {n} more",
    "dossier_test": "On the test rows",
    "dossier_folds": "Cross-validation, {k} folds",
    "dossier_numbers": "numbers",
    # beyond memory
    "disk_cannot": "engine 'disk' needs {wanted} of memory for a tree of recipe '{recipe}' on these rows, more than the limit of {limit}. Raise memory_limit, use a sample of the rows, or a recipe and columns that can be counted: id3, c4.5-textbook, cart-textbook or cart-binary, classes, no weights, nothing missing.",
    "disk_cannot_cli": "engine 'disk' needs {wanted} of memory for a tree of recipe '{recipe}' on these rows, more than the limit of {limit}. Raise --memory-limit, use a sample of the rows, or a recipe and columns that can be counted: id3, c4.5-textbook, cart-textbook or cart-binary, classes, no weights, nothing missing.",
    "bad_memory_limit": "memory_limit should be a number of bytes or a text such as '2GB', found {value!r}.",
    "work_folder": "The folder {folder} cannot be worked in: {reason}. Name another one with work= (--work).",
    "work_taken": "Another run is working in {folder}. Wait for it, or name another folder with work= (--work).",
    "disk_full": "The disk is full: {folder} needs {wanted} more, {free} are free. Make room, or name a folder on a larger disk with work= (--work).",
    "wide_decimals": "{source}: '{column}' holds decimals of more than 38 digits, which are read with pyarrow. It is not installed: pip install 'penjing[disk]'.",
    "needs_pyarrow": "Tables larger than memory are read with pyarrow, which is not installed: pip install 'penjing[disk]'.",
    "folder_without_tables": "{source} is a folder that holds no table: no .parquet, .csv or .jsonl file is in it.",
    "mixed_forms": "The files of {source} have several forms. Name files of one form: Parquet, CSV or JSON lines.",
    "files_differ": "{other} has other columns than {one}. Files that are read as one table must have the same columns, in the same order.",
    "needs_query": "{source} is a database. Say what to ask of it with query= (--query): SQL, or the name of a table.",
    "query_without_database": "{source} is not a database, so there is nothing to ask by SQL. A DuckDB file is named 'duckdb:FILE'.",
    "query_not_select": "the query '{query}' is not one SELECT. Give one, or the name of a table in {source}.",
    "query_failed": "{source} does not answer the query: {reason}.",
    "too_many_texts": "{source}: '{column}' has more than {n} categories, which do not fit memory. Leave it out: schema={{'{column}': 'ignore'}} (--ignore).",
    "note_engine_native": "engine native: the table takes about {needs} in memory, the limit is {limit}.",
    "note_engine_disk": "engine disk: the table would take about {needs} in memory, more than the limit of {limit}, so its rows are coded to a folder on disk.",
    "progress_reading": "reading: {rows:,} rows",
    "progress_generation": "generation {generation}: {open:,} open nodes, {rows:,} rows looked at",
    # rows that stay where they are
    "engine_lacks_numeric_target": "The target {column} is a number, and sums of numbers made in another place round otherwise. Use an engine that reads the rows: native or disk.",
    "remote_date_column": "Column {column} holds dates. Ask for their parts in the query, such as extract(month from …), or leave the column out: schema={{'{column}': 'ignore'}}.",
    "remote_too_many_numbers": "Column {column} has more than {most} distinct numbers, so that it can only be numeric. Say schema={{'{column}': 'numeric'}}, or turn it to text in the query.",
    "remote_infinite": "{source}: column {column} holds an infinite number. Turn it to NULL, or to a finite number, in the query.",
    "remote_rows_changed": "The rows are not the same as before: now {found}, then {expected}. Write the DataFrame to a file, or cache it, so that it stays as it is, and fit that.",
    "spark_blocks_lost": "The workers lost their blocks {n} times in a row. Give them time to run where their blocks are: spark.locality.wait.",
    "remote_no_columns": "{source} has no column to ask about besides the target.",
    "engine_lacks_missing": "Engine {engine} cannot treat the rows without a value in column {column} by missing='{missing}'. Use engine native or disk, or a recipe with surrogates (rpart).",
    "engine_lacks_recipe": "Engine {engine} cannot follow the rules of recipe {recipe}. It knows {known}.",
    "spark_many_levels": "{source}: '{column}' has more than {n} categories, more than engine spark counts. Leave it out: schema={{'{column}': 'ignore'}} (--ignore), or use engine native or disk, which keep it.",
    "sql_too_deep": "{source}: the tree is too deep for an SQL query. Limit it with max_depth (--max-depth), or use engine native or disk.",
    "not_a_dialect": "The plug-in {name} is not a dialect: a penjing.grow.dialect.Dialect object. See CONTRIBUTING.md.",
    "engine_lacks_xval": "Engine {engine} cannot cross-validate, since the rows stay where they are. Say xval=0.",
    "engine_lacks_setting": "Engine {engine} leaves the rows where they are, and {setting} needs them here. Leave {setting} out, or use engine native or disk.",
    "other_checkpoint": "The folder {folder} keeps generations of other rows or another recipe. Name another folder, or remove it.",
    "table_or_query": "Where in the database are the rows? Say either table='name' or query='select …'.",
    "sql_failed": "{source} answers: {said}",
    "engine_needs": "Engine {engine} needs the package {package}: pip install 'penjing[{engine}]'.",
    "note_auto": "recipe {recipe} was chosen automatically: {reason}.",
    "auto_textbook": "the table has at most 1,000 rows, only categorical columns and no missing values",
    "auto_classes": "the target is a class; C4.5 handles numeric columns and missing values, and prunes the tree",
    "auto_number": "the target is a number; the tree is pruned by cross-validation",
    "auto_settings": "it is the first recipe that has the given settings ({settings})",
    "auto_needs_table": "recipe 'auto' depends on the table. Name a recipe here, such as 'id3' or 'c4.5'.",
    "auto_none": "no recipe suits this table and these settings. Name one: recipe='c4.5' (--recipe).",
    "list_or": "{most} or {last}",
    "one_leaf": "the tree is a single leaf: {why}.",
    "one_leaf_more": " To grow more: {settings}.",
    "one_leaf_try": " To grow more, try {settings}.",
    "one_leaf_grows": "{typed} ({leaves})",
    "one_leaf_pure": "every row has the same '{target}', {answer}",
    "one_leaf_no_columns": "the table has no column to split on",
    "one_leaf_constant": "no column has two different values",
    "one_leaf_min_weight": "a node needs at least {limit} rows to be split ({setting}), and the table has {n}",
    "one_leaf_min_branch": "no split has enough rows in its branches ({setting})",
    "one_leaf_max_depth": "{setting} allows no split",
    "one_leaf_max_leaves": "{setting} allows no split",
    "one_leaf_min_gain": "the best split, on '{column}', has a gain of {gain}, which is too small ({setting})",
    "one_leaf_complexity": "no split reduces the error enough for the leaves it adds ({setting})",
    "one_leaf_no_gain": "no split has a positive gain",
    "list_semicolon": "; ",
    "one_leaf_screened": "no column passes the rules of {recipe} ({reasons})",
    "one_leaf_no_average": "no column passes the average-gain screen of {recipe}: columns with many categories do not count for the average, and no other column has a gain",
    "one_leaf_costly": "every threshold costs more than it gains under the rules of {recipe}",
    "one_leaf_pruned": "pruning removed every split, since a leaf has {as_leaf} estimated errors and the tree {kept}",
    "one_leaf_validation": "no split improves the result on the validation set",
    "one_leaf_other": "no split was accepted",
    # -- the Python API -----------------------------------------------------------------------
    "table_size": "{rows} rows × {columns} columns",
    "table_size_target": "{rows} rows × {columns} columns, target '{target}'",
    "needs_pandas": "to_pandas() needs pandas, which is not installed: pip install pandas.",
    "weight_values": (
        "weight={value!r} cannot be used: it must be the name of a column, or one number per row."
    ),
    "weight_count": "{source} has {expected:,} rows, but {n:,} weights were given.",
    "weight_negative": "the weight of row {row} is {value}. Weights must be at least 0.",
    "weight_missing": "the weight of row {row} is missing. Give every row a weight of at least 0.",
    "weight_infinite": "the weight of row {row} is infinite. Weights must be finite.",
    "nearest_setting": (
        "{word} is a setting of the recipe sklearn. The nearest setting of '{recipe}' is {near}."
    ),
    "setting_twice": "{one} and {other} are the same setting. Give one of them.",
    "bad_class_names": (
        "class_names={value!r} cannot be used: it must be a list of texts in ascending order of"
        " the classes, or a dict from class to text."
    ),
    "class_names_count": "class_names has {n} names, but the tree has {expected} classes.",
    "class_names_unknown": "class_names names {word!r}, which is not a class. Classes: {known}.",
    "class_names_unknown_near": (
        "class_names names {word!r}, which is not a class. Did you mean {near!r}? Classes: {known}."
    ),
    "no_class_names": "class_names cannot be used: the target '{target}' is a number.",
    "comparison_was_dict": (
        "compare(…)[{name!r}] will not work from version 0.3.0 on; use compare(…).{name} instead."
    ),
}
