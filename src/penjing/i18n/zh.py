"""The Chinese sentences; terms as in the watermelon book."""

MESSAGES: dict[str, str] = {
    # tree, in counts
    "leaves": "{n} 个叶结点",
    "rows": "{n} 行",
    "depth": "深度 {n}",
    "root": "根结点",
    "training_share": "训练 {right}/{of}",
    # pictures
    "legend_others": "其余 {n} 个类别",
    "picture_folded": "{n} 个叶结点折叠在 {folded} 个虚线框中",
    "picture_left_out": "最上层的 {of} 个分支中，样本最少的 {n} 个没有画出",
    "folded_leaves": "+ {n} 个叶结点, n={weight}",
    "measure_gain": "增益",
    "measure_gain_ratio": "增益率",
    "measure_gini": "基尼增益",
    "measure_variance": "方差增益",
    "measure_improvement": "改进量",
    "measure_score": "评分",
    "icicle_reading": "宽度 = 行数，颜色深浅 = 纯度",
    "icicle_reading_number": "宽度 = 行数，颜色深浅 = 预测值，{low} 到 {high}",
    "icicle_hidden": "{n} 个结点太细，看不见",
    "mark_tie": "平局",
    "mark_empty": "+{n} 空",
    "mark_surrogates": "+{n} 替代",
    "mark_missing": "(缺失)",
    "mark_missing_in": "缺失：{columns}",
    "tip_tie": "平局：{columns}",
    "tip_cut": "精确值 {cut}",
    "tip_empty": "空分支：{levels}",
    "because_answer_mixed": "回答是 {answer}，{share} %（由多个叶结点混合而成：没有区间）",
    "because_unseen_surrogate": "训练时此处未见过；按 {test}",
    "because_unseen_way": "训练时此处未见过；走缺失值的分支",
    "explain_no_row": "{found!r} 不是一行数据。请给出字典 {{列: 值}}，或只有一行的表。",
    "explain_odd_cell": "这一行的列“{column}”是 {value!r}。单元格应为文本、数字、日期或 None。",
    "explain_wants_row": "要解释哪一行？请写 `--row '列=值, 列=值'`、--row 加 JSON，或 --data 文件 加 --row 行号。",
    "bad_whole": "{name}={value!r} 不能使用：应为不小于 {least} 的整数。",
    "because_answer": "回答是 {answer}",
    "because_answer_share": "回答是 {answer}，{share} %（95 % 区间 {low} 到 {high} %）",
    "because_surrogate": "缺失；按 {test}",
    "because_missing_way": "缺失；走缺失值的分支",
    "because_shared": "{column} 缺失：按样本数分摊到所有分支",
    "because_missing": "{column} 缺失：取提问结点的回答",
    "because_no_branch": "{column} = {value} 在此没有分支：取提问结点的回答",
    "because_flips": "怎样改变回答：",
    "because_no_flip": "没有找到能改变回答的改动",
    "explain_one_row": "一次解释一行，现有 {n} 行。请给一个字典，或只有一行的表。",
    "explain_not_row": "“{text}”不是一行数据。请写成 `列=值, 列=值`，或 JSON，或用 --data 指定文件并给出行号。",
    "explain_row_number": "表有 {n} 行，没有第 {row} 行。",
    "model_broken_trace": "模型中的生成过程不是 penjing 写的样子。请重新生成决策树。",
    "no_known_rows": "{source} 中每一行的所有属性都缺失。此方法不使用这样的行，没有数据可学。",
    "needs_plot": "在坐标轴上画图、PNG 和 PDF 需要 matplotlib，尚未安装。请运行 `pip install 'penjing[plot]'`。SVG 和 HTML 不需要任何软件。",
    "unknown_picture": "“{word}”不是能写的图片格式。可用的扩展名：{known}。",
    "unknown_picture_near": "“{word}”不是能写的图片格式。可用的扩展名：{known}。最接近的是 {near}。",
    "no_icicle": "冰柱图不能写成“{ending}”。可用的扩展名：{known}。",
    "permutation_needs_data": "置换重要性需要带目标列的数据：`data=…` 或 `--data FILE`。",
    "bootstrap_root": "根",
    "bootstrap_used": "使用",
    "bootstrap_cuts": "首个划分点 {middle}（90 % 在 {low} 与 {high} 之间）",
    "bootstrap_size": "{n} 棵树，{least} 到 {most} 个叶结点，半数不超过 {middle} 个",
    "ruleset_needs_rows": "选择规则需要训练数据，而模型所记的文件不在。请用 `--train FILE` 指定。",
    "ruleset_default": "默认：{answer}",
    "votes_rule": "{answer}  {cover} 个样本，错 {wrong} 个  {accuracy}  提升度 {lift}  当 {when}",
    "votes_training": "{leaves} 个叶结点得到 {n} 条规则，训练 {right}/{of}",
    "ruleset_training": "由 {leaves} 个叶结点得到 {n} 条规则，训练 {right}/{of}（树 {tree}/{of}）",
    "rules_need_classes": "规则只适用于类别，“{target}”是数值。每个叶结点的规则见 write('rules')。",
    "rules_need_target": "这些数据没有“{target}”列。选择规则需要知道类别的数据。",
    "rule_support": "行数",
    "rule_confidence": "正确",
    "rule_when": "条件",
    "rule_and": " 且 ",
    "rule_always": "总是",
    "rule_in": "属于",
    # the page
    "view_tools": "工具",
    "view_tree": "树",
    "view_icicle": "冰柱图",
    "view_list": "列表",
    "view_unfold": "展开",
    "view_fold": "折叠",
    "view_zoom_in": "放大",
    "view_zoom_out": "缩小",
    "view_fit": "适合窗口",
    "view_search": "查找",
    "view_found": "找到 {n} 个",
    "view_light": "浅色",
    "view_dark": "深色",
    "view_classes": "类别",
    "view_rows": "{n} 行",
    "view_asks": "按 {column} 划分",
    "view_answers": "回答 {answer}",
    "view_details": "详情",
    "view_node": "结点",
    "view_counts": "各类别的行数",
    "view_interval": "这样的数据中 {answer} 约占 {low} 到 {high} %（95 % 区间）",
    "view_what_if": "询问一行",
    "view_unknown": "（未知）",
    "view_row_answer": "回答是 {answer}",
    "view_flip": "若 {column} {value}，回答变为 {answer}",
    "view_clear": "清空",
    "view_replay": "生成过程",
    "view_first": "第一步",
    "view_back": "上一步",
    "view_next": "下一步",
    "view_last": "最后一步",
    # arguments
    "bad_whole_between": "{name}={value!r} 不能用：应为 {least} 到 {most} 之间的整数。",
    "not_whole": "{name}={value!r} 不能用：应为整数。",
    "not_whole_or_none": "{name}={value!r} 不能用：应为整数或 None。",
    "not_number": "{name}={value!r} 不能用：应为数值。",
    "not_number_or_none": "{name}={value!r} 不能用：应为数值或 None。",
    "not_text": "{name}={value!r} 不能用：应为字符串。",
    "not_text_or_none": "{name}={value!r} 不能用：应为字符串或 None。",
    "not_texts": "{name}={value!r} 不能用：应为字符串或字符串列表。",
    "not_switch": "{name}={value!r} 不能用：应为 True 或 False。",
    "not_switch_or_none": "{name}={value!r} 不能用：应为 True、False 或 None。",
    "not_function": "{name}={value!r} 不能用：应为函数或 None。",
    "not_path": "{name}={value!r} 不能用：应为文件或文件夹的路径。",
    "not_tree": "{name}={value!r} 不能用：应为 penjing.fit 或 penjing.load 返回的决策树。",
    "bad_options": "{name}={value!r} 不能用：应为某个配方的选项，如 penjing.RECIPES['rpart'].options。",
    "bad_target": "target={value!r} 不能用：应为某一列的名称，False 表示没有目标，或 None。",
    "bad_separator": "{name}={value!r} 不能用：应为一个字符，如 ';' 或 '\\t'。",
    "bad_labels": "{source}：labels={value!r} 不能用：应为列表、数组或序列，每行一个值。",
    "bad_column_names": "{source}：names={value!r} 不能用：应为各列名称的列表。",
    "write_option": "“{word}”不是“{kind}”的选项。可用的选项：{known}。",
    "write_option_near": "“{word}”不是“{kind}”的选项。可用的选项：{known}。\n是不是“{near}”？",
    "not_grown": "函数 {name} 返回了 {value!r}：应像 penjing.fit 一样返回决策树。",
    "not_two_names": "names={value!r} 不能用：应为两个名称，每棵树一个。",
    "no_row": "{name}={value!r} 不能用：这张表的行编号为 0 到 {last}。",
    "bad_rows": "{name}={value!r} 不能用：应为小于 {n} 的行号列表，或 {n} 个 True/False 值。",
    "not_labels": "{name}={value!r} 不能用：应为文本或数字的列表，每行一个。",
    "bad_cut": "{name}={value!r} 不能用：应为与各取值比较的数值。",
    "cut_needs_numbers": "划分点用于比较数值，而 {value!r} 不是数值。",
    "not_axes": "{name}={value!r} 不能用：应为 matplotlib 的坐标轴（如 plt.subplots() 所返回的），或 None。",
    "cut_tolerance_too_large": "cut_tolerance={value!r} 不能用：不得超过 gap 的一半，否则划分点不在两个取值之间。",
    "names_not_used": "{source}：各列已有名称，不需要 names=。请去掉它。",
    "answers_not_numbers": "y 中有 {value!r}，而回归只预测数值。若是类别，请用分类器，如 CARTClassifier。",
    "not_mapping": "{name}={value!r} 不能用：应为字典或 None。",
    "not_nodes": "{name}={value!r} 不能用：应为结点编号的列表。",
    "no_node": "node={value!r} 不能用：这棵树的结点编号为 0 到 {last}。",
    # recipes
    "bad_whole_number": "{name}={value!r} 不能用：应为不小于 {least} 的整数，或 None。",
    "bad_number": "{name}={value!r} 不能用：应为不小于 0 的数。",
    "bad_max_features": (
        "max_features={value!r} 不能用：应为不小于 1 的整数、大于 0 且不超过 1.0 的比例、sqrt、log2 或 None。"
    ),
    "bad_criterion": (
        "criterion={value!r} 不能用。请给出准则的名称，或一个函数：沿最后一维接收类别计数，返回混杂程度。"
    ),
    "kernel_differs": (
        "准则“{name}”声称与内置计算核“{kernel}”相同，但二者给出的得分不同。请去掉 native，或写出计算方式相同的计算核。"
    ),
    "missing_refused": (
        "列“{column}”有 {n} 个缺失值，而配方 {recipe} 不接受缺失值。\n"
        "可改用配方 c4.5-textbook，或 missing='fraction' 或 'branch'，或去掉这一列。"
    ),
    "variance_needs_number": (
        "准则 variance 要求预测数值，而“{target}”是类别。请用 gain、gain_ratio 或 gini。"
    ),
    "measure_needs_classes": "“{target}”是数值，不能用类别计数的函数来衡量。请用 criterion='variance'。",
    "measure_not_finite": (
        "准则“{name}”对类别计数 {counts} 给出 {value}。它应当返回有限的数，单一类别的结点为 0。"
    ),
    "measure_failed": (
        "准则“{name}”无法度量类别计数 {counts}：{reason}。它应当接受一个结点的计数，返回一个数。"
    ),
    "needs_validation": (
        "“{method}”剪枝需要验证数据。请用 validation= 给出文件、表格，或 0.3 这样的比例。"
    ),
    "no_target_in_table": "表格没有目标列，无从学习。请用 target='列名' 重新读取。",
    "weights_too_large": "各行权重之和超出了数的范围。请把所有权重除以同一个大数。",
    "target_too_large": "“{target}”的平方和超出了数的范围。请把它除以一个大数，或取对数。",
    "other_target": "读取表格时的目标列是“{found}”，不是“{target}”。请用 target='{target}' 重新读取。",
    # functions for learners
    "nothing_to_count": "没有可计数的内容。请给出标签，或不全为 0 的计数。",
    "not_counts": (
        "counts={value!r} 不能用作计数。计数是不小于 0 的数：求熵或基尼值时每类一个，"
        "求增益时每个取值一行。"
    ),
    "lengths_differ": "给出了 {values} 个取值和 {labels} 个标签。每行两者各需一个，且至少要有一行。",
    # model files
    "no_model_file": "没有模型文件 {path}。",
    "cannot_write": "无法写入 {path}：{reason}。",
    "output_is_folder": "{path} 是文件夹。请给出文件名。",
    "model_too_large": "{path} 的内容超过 {limit}，模型不应有这么大。",
    "model_truncated": "{path} 在中间断开：模型不完整。请重新保存，或取得完整的文件。",
    "model_not_json": "{path} 不是模型文件：它不是 penjing 写出的 JSON。",
    "model_newer": "{path} 的格式号是 {found}，本版 penjing 只能读到 {known}。请安装新版 penjing。",
    "model_broken": "{path} 不是有效的模型：{at} 应为 {expected}。",
    "dict_not_a_tree": "{found!r} 不是树。树是一个类别，或只含一列的字典，其值是以取值为键的字典。",
    "dict_holds_itself": "这个字典包含它自身，因此不是树：沿着分支走没有尽头。",
    "dict_too_large": "沿所有分支计算，这个字典包含 {limit} 个以上的字典，作为树太大了。",
    "dict_bad_level": "列“{column}”：{level!r} 不是取值。取值是文字或有限的数，或由它们组成的元组。",
    "dict_level_twice": "列“{column}”：取值 {level!r} 在同一结点有两个分支。",
    "dict_bad_cut": (
        "列“{column}”：“{one}”和“{other}”没有把数值分成两部分。请写“<= c”和“> c”，或“< c”和“>= c”；"
        "若是离散取值的名称，请写成元组：('{one}',)。"
    ),
    "dict_mixed_column": "同一棵树里，列“{column}”既按数值切分，又按取值划分。",
    # data
    "no_rows": "{source} 只有表头，没有数据行。生成决策树至少需要一行数据。",
    # choices
    "unknown_column": "表中没有列“{word}”。现有的列：{known}。",
    "unknown_column_near": "表中没有列“{word}”。现有的列：{known}。\n是不是“{near}”？",
    "unknown_plug": "{socket} 没有“{word}”。可选：{known}。",
    "unknown_plug_near": "{socket} 没有“{word}”。可选：{known}。最接近的是 {near}。",
    "unknown_setting": "“{word}”不是配方“{recipe}”的设置。可用的设置：{known}。",
    "unknown_setting_near": "“{word}”不是配方“{recipe}”的设置。可用的设置：{known}。\n是不是“{near}”？",
    # 读取：数据源的问题
    "empty_file": "{source} 是空文件。数据表需要一行表头和至少一行数据。",
    "stdin_closed": "标准输入已关闭，“-”没有可读的内容。",
    "no_such_file": "{source} 不存在。请检查路径；从标准输入读取请写“-”。",
    "unknown_example": "没有内置数据表“{word}”。`penjing examples` 列出全部内置数据表。",
    "unknown_example_near": "没有内置数据表“{word}”，是不是“{near}”？",
    "no_such_file_near": "{source} 不存在。是不是“{near}”？",
    "is_a_directory": "{source} 是文件夹。请给出其中的一个文件。",
    "no_permission": "没有读取 {source} 的权限。请取得权限，或复制一份。",
    "unreadable_file": "{source} 无法读取：{reason}。",
    "too_much_to_read": "{source} 的内容超过 {limit}，这是可读入内存的上限。请只取一部分行，或保存为文件后由 `penjing fit` 从磁盘生成树。",
    "is_a_device": "{source} 是设备，不是文件。",
    "system_refuses": "{reason}：{path}。",
    "system_failed": "操作系统报告：{reason}。",
    "no_memory": "内存不足。请只取一部分行，或由 `penjing fit` 从磁盘生成树。",
    "binary_file": (
        "{source} 不是文本。请给出 CSV、TSV、ARFF、JSON、Parquet 或 C4.5 的 .names 文件；"
        "工作簿请先另存为 CSV。"
    ),
    "not_decodable": (
        '{source} 第 {line} 行：字节不符合 {encoding} 编码。请指明编码，如 encoding="gbk"，'
        "或把文件另存为 UTF-8。"
    ),
    "no_encoding": (
        "{source} 不是 UTF-8，按 GB18030、Big5、cp1252 也读不通。"
        '请指明编码，如 encoding="shift_jis"，或另存为 UTF-8。'
    ),
    "unknown_encoding": ("没有编码“{encoding}”。常用的有：utf-8、gb18030、big5、cp1252、utf-16。"),
    "unknown_source": (
        "不能从 {kind} 读取数据表。请给出路径、字节、打开的文件、数据框、数组、"
        "字典的列表、行的列表，或以行为键的字典。"
    ),
    "ragged_row": (
        "{source} 第 {row} 行：有 {n} 个单元格，应当有 {expected} 个。"
        "请检查是否多了或少了分隔符，或单元格需要加引号。"
    ),
    "open_quote": (
        "{source} 第 {row} 行之后：引号打开后没有关闭。请补上引号；单元格内的引号要写两遍。"
    ),
    "long_cell": (
        "{source} 第 {row} 行之后：一个单元格超过 131072 个字符。是不是引号打开后没有关闭？"
    ),
    "duplicate_column": "{source}：第 {first} 列和第 {second} 列都叫“{column}”。请改掉其中一个。",
    "no_target": "{source} 中看不出哪一列是目标。请用 target=… 指明。现有的列：{known}。",
    "not_a_number": (
        "{source} 第 {row} 行：“{column}”应当是数，却是“{value}”。\n"
        "若要视为缺失：read(…, missing=[{value!r}])。"
    ),
    "infinite_number": (
        "{source} 第 {row} 行：“{column}”是无穷大（“{value}”）。划分点需要有限的数："
        "请改正，或视为缺失：read(…, missing=[{value!r}])。"
    ),
    "not_a_date": ("{source} 第 {row} 行：“{column}”应当是日期，如 2024-03-01，却是“{value}”。"),
    "foreign_level": "{source} 第 {row} 行：“{value}”不是“{column}”的取值。取值有：{known}。",
    "foreign_level_near": (
        "{source} 第 {row} 行：“{value}”不是“{column}”的取值。取值有：{known}。\n是不是“{near}”？"
    ),
    "bad_weight": ("{source} 第 {row} 行：权重“{column}”是“{value}”。权重应当是有限的非负数。"),
    "bad_gzip": "{source} 是损坏的 gzip 文件。请重新获取，或先解压。",
    "bad_json": "{source} 第 {line} 行不是 JSON。请每行写一个对象，或写对象的数组。",
    "bad_parquet": "{source} 不是 Parquet 文件，或已损坏。",
    "bad_names": "{source} 没有声明任何内容。.names 文件以类别开头：yes, no.",
    "bad_names_entry": (
        "{source}：“{value}”不是属性。请每行写一个：name: value, value. 或 name: continuous."
    ),
    "bad_arff": (
        "{source} 第 {line} 行：“{value}”不是属性。请写"
        " @attribute name {{value, value}} 或 @attribute name numeric。"
    ),
    "bad_arff_data": "{source} 没有 @attribute 行和随后的 @data。",
    "arff_kind": (
        "{source} 第 {line} 行：“{column}”的类型是“{value}”。可用：numeric、real、integer、"
        "string、date、{{value, value}}。"
    ),
    "sparse_arff": (
        "{source} 第 {row} 行：不读取稀疏 ARFF。请存成稠密形式（Weka 中用 SparseToNonSparse）。"
    ),
    "not_a_row": "{source} 第 {row} 行：{value} 不是一行数据。请给出值的列表或字典。",
    "nested_cell": (
        "{source} 第 {row} 行：“{column}”中是 {value}。单元格应当是文本、数、日期或 None。"
    ),
    "uneven_column": "{source}：列“{column}”有 {n} 个值，第一列有 {expected} 个。",
    "names_count": "{source}：{expected} 列却给了 {n} 个列名。",
    "labels_count": "{source}：{expected} 行却给了 {n} 个类别标记。",
    "array_shape": "{source} 是 {n} 维数组。请给出二维数组（行和列），或一维的记录数组。",
    "empty_table": "{source} 没有行或没有列。生成决策树至少各需要一个。",
    "text_not_path": (
        "应当给出路径，却是一段多行文本：“{value}”…… 要读取文本本身，请给出字节：text.encode()。"
    ),
    "too_many_classes": (
        "{source}：目标“{column}”有 {n} 个类别，多数只出现在一行里。它像是行的名称，请另选目标。"
    ),
    "empty_target": "{source}：目标“{column}”没有任何值。请另选目标。",
    "no_weight": "{source}：可供学习的行中没有一行的权重大于 0。",
    # 读取：选择
    "unknown_kind": "列“{column}”的类型没有“{word}”。可选：{known}。",
    "unknown_kind_near": "列“{column}”的类型没有“{word}”。可选：{known}。\n是不是“{near}”？",
    "bad_schema": (
        '“{column}”的说明 {value!r} 看不懂。请给出类型、取值的列表，或 {{"ordered": [取值]}}。'
    ),
    "schema_shape": "schema={value!r} 看不懂。请给出以列名为键的字典，或决策树的字段。",
    "bad_levels": "“{column}”的说明 {value!r} 应当每个取值列一次，至少一个。",
    "bad_missing": ('missing={value!r} 看不懂。请给出要增加的词的列表，或 {{"only": [词]}}。'),
    # 读取：说明
    "note_encoding": "{source} 按 {encoding} 读取：它不是有效的 UTF-8。",
    "note_encoding_mark": "{source} 按 {encoding} 读取：它的字节序标记如此说明。",
    "note_stray_mark": "去掉了第一列列名前多余的“?”（丢失的字节序标记）：{column}。",
    "note_header_is_data": (
        "{source} 的第一行像是数据（以“{column}”开头）。若文件没有表头：names=[…]。"
    ),
    "note_nameless_column": "{source} 的第 {place} 列没有列名，记作“{column}”。",
    "note_left_out_id_name": "“{column}”不参与学习：列名像编号，且取值从不重复。",
    "note_left_out_id_count": "“{column}”不参与学习：它只是在给行计数。",
    "note_left_out_id_text": "“{column}”不参与学习：{n} 个取值各出现一次，像是名称。",
    "note_left_out_empty": "“{column}”不参与学习：它没有任何取值。",
    "note_left_out_date": (
        '“{column}”不参与学习：它是日期（{value}）。dates="month,weekday" 可把日期变成列。'
    ),
    "note_left_out_date_there": (
        "“{column}”不参与学习：它是日期（{value}）。可在表中或查询中由它生成新列，例如月份。"
    ),
    "note_taken_as_value_there": (
        "“{column}”中的“{value}”按取值处理。如果它表示缺失，请在表中或查询中改为 NULL。"
    ),
    "note_odd_number_there": (
        "“{column}”除“{value}”等值外都是数，按离散属性处理；"
        "如果该值表示缺失，请在表中或查询中改为 NULL。"
    ),
    "note_dates_made": "“{column}”变成了 {made}。",
    "note_month_first": "“{column}”按月份在前读取（{value}）：日期在前也说得通。",
    "note_trimmed": "去掉了 {n} 列取值两端的空白：{columns}。",
    "note_taken_as_missing": (
        "“{column}”中的“{value}”视为缺失（{n} 行）。若它是取值，请在 schema 中列出该列的取值。"
    ),
    "note_taken_as_value": ("“{column}”中的“{value}”视为取值。若它表示缺失：missing=[{value!r}]。"),
    "note_disguised": "“{column}”按数读取：“{value}”即 {number}。",
    "note_odd_number": (
        "“{column}”除个别单元格外都是数，第一个在第 {row} 行：“{value}”。"
        "该列按类别处理；若它表示缺失：missing=[{value!r}]。"
    ),
    "note_many_levels": "“{column}”有 {n} 个取值，相对行数太多，决策树可能死记硬背。",
    "note_many_classes": "目标“{column}”有 {n} 个类别，相对行数太多。",
    "note_target_is_number": (
        "目标“{column}”视为数值（回归）：它有 {n} 个不同的整数，多于 {most} 个。"
        "若它们是类别：schema={{{column!r}: 'nominal'}}。"
    ),
    "note_target_named": "列“{column}”因其名称被当作目标。要用别的列：target=。",
    "note_target_last": "以最后一列“{column}”为目标。",
    "note_target_missing": "丢弃了 {n} 行没有“{column}”值的数据。",
    "note_zero_weight": "{n} 行的权重为 0；只有 rpart 的最小样本数把它们计入。",
    # 预测
    "unseen_level": (
        "第 {row} 行：列“{column}”的取值“{value}”未在训练数据中出现。训练数据的取值：{known}。\n"
        "若仍要回答（由提问的结点作答）：unseen='stop'。"
    ),
    "value_missing": (
        "第 {row} 行：列“{column}”没有值，而决策树要用到它。\n"
        "若仍要回答：missing='stop' 或 missing='fraction'。"
    ),
    "shares_need_classes": "决策树预测的“{target}”是数值，没有类别比例。请用 predict。",
    # 剪枝
    "pessimistic_needs_classes": (
        "悲观剪枝要数错误个数，而“{target}”是数值。\n请用 'reduced-error' 并给出验证数据。"
    ),
    "pessimistic_needs_counts": (
        "悲观剪枝依据训练数据的计数，而这棵树是手写的，没有计数。\n"
        "请用 'reduced-error' 并给出验证数据，或重新训练一棵树。"
    ),
    "bad_confidence": "confidence={value!r} 不能用：应为 0 与 1 之间的数，如 0.25。",
    "validation_not_used": "“{method}”剪枝只依据树中的计数，不看验证数据。请去掉 validation=。",
    "share_needs_rows": (
        "树不保存训练数据，无法从中取出 validation={value!r}。\n"
        "请给出验证数据，或用 validation={value!r} 重新训练。"
    ),
    "folds_not_used": "“{method}”剪枝不用交叉验证，“cost-complexity”才用。",
    "folds_need_rows": (
        "folds={folds} 要轮流留出训练样本，而手头没有训练样本。\n"
        "请指明：Python 中用 `training=…`，命令行用 `--train 文件`。"
    ),
    "table_is_read": (
        "{name}= 规定如何读数据，而 Table 已经读好了。\n请在生成 Table 的 `penjing.read` 中给出。"
    ),
    "unknown_option": "“{word}”不是“{method}”剪枝的选项。可用的选项：{known}。",
    "no_options": "“{method}”剪枝没有选项，却给了“{word}”。请去掉它。",
    "unknown_option_near": (
        "“{word}”不是“{method}”剪枝的选项。可用的选项：{known}。\n是不是“{near}”？"
    ),
    "prune_why_better": "作为叶结点更好",
    "prune_why_equal": "作为叶结点一样好",
    "prune_why_worse": "作为叶结点更差",
    "prune_why_unreached": "没有验证数据到达这里",
    # 测试
    "test_needs_target": "{source} 没有列“{target}”。它是决策树要预测的列，没有它就无法判断对错。",
    "test_without_rows": "{source} 中没有一行有“{target}”的值：无从计数。",
    "bad_max_loss": "精度不能损失 {value!r}（max_loss）：应为 0 到 1 之间的数，如 0.02。",
    "bad_share": "不能留出 {value!r} 的比例：应为 0 与 1 之间的数，如 0.3。",
    "too_few_to_hold_out": "{n} 行数据不能再分成训练集和验证集。",
    "bad_folds": (
        "{n} 行数据不能分成 {value!r} 折。请给出 2 到行数之间的整数，或 'leave-one-out'。"
    ),
    "bad_fold": "{k} 折中没有第 {which!r} 折：编号从 0 到 {last}。",
    "cannot_regrow": (
        "这棵树是用验证数据剪枝的，而树不保存验证数据，所以不能在别的数据上重新生成。\n"
        "请说明做法：cross_validate(table, recipe, prune=…, validation=0.3)。"
    ),
    "compare_kinds": "一棵树预测类别，另一棵预测数值（“{a}”、“{b}”），无法比较。",
    # 报告
    "report_accuracy": "精度 {correct}/{of} = {percent} %   （95 % 区间 {low} 到 {high} %）",
    "report_predicted": "预测",
    "report_actual": "实际",
    "report_wrong": "错误：{rows}",
    "report_wrong_row": "第 {row} 行 {actual}→{predicted}",
    "report_wrong_more": "{rows}，还有 {n} 行",
    "report_unlabelled": "略去了 {n} 行没有“{target}”值的数据。",
    "report_number": "均方根误差 {rmse}，平均绝对误差 {mae}，R² {r2}   （{n} 行）",
    # 命令：各动词共用
    "word_error": "错误：",
    "word_note": "说明：",
    "list_comma": "、",
    "clause_comma": "，",
    "clause_semicolon": "；",
    "list_and": "{most} 和 {last}",
    "list_more": "{most} 等，另有 {n} 个",
    "numbers": "0 1",
    "n_rows": "{n} 行",
    "interrupted": "已中断。",
    "our_fault": (
        "这不该发生（{kind}：{what}）。这是我们的错，不是您的。\n请把 `--debug` 的输出一并报告给我们。"
    ),
    "saved": "已保存为 {path}。",
    "not_json_schema": (
        "--schema 不是 JSON，也没有这个文件：{value}。\n"
        '请给出文件，或 JSON，如 {{"size": "nominal"}}。'
    ),
    "schema_not_object": "{value} 中的 schema 应为 JSON 对象：列名及其说明。",
    "ask_target": "要预测哪一列？（{known}）",
    # 命令：用选项说得更清楚的句子
    "text_not_path_cli": "“{value}”…… 不存在。请检查路径：它有好几行。",
    "no_target_cli": (
        "{source} 中看不出哪一列是目标。请用 --target 列名 指明。现有的列：{known}。"
    ),
    "no_target_in_table_cli": "表中没有目标列，无从学习。请用 --target 列名 指明。",
    "not_a_number_cli": (
        "{source} 第 {row} 行：“{column}”应当是数，却是“{value}”。\n"
        "若要视为缺失：--missing-marker '{value}'。"
    ),
    "infinite_number_cli": (
        "{source} 第 {row} 行：“{column}”是无穷大（“{value}”）。划分点需要有限的数："
        "请改正，或视为缺失：--missing-marker '{value}'。"
    ),
    "not_decodable_cli": (
        "{source} 第 {line} 行：字节不符合 {encoding}。请指明编码：--encoding gbk，"
        "或将文件另存为 UTF-8。"
    ),
    "missing_refused_cli": (
        "列“{column}”有 {n} 个缺失值，而配方 {recipe} 不接受缺失值。\n"
        "可用 --recipe c4.5-textbook，或 --missing fraction，或 --ignore '{column}'。"
    ),
    "needs_validation_cli": (
        "“{method}”剪枝需要验证集。请用 --validate 文件，或 --validate-share 0.3。"
    ),
    "validation_not_used_cli": ("“{method}”剪枝只看树中的计数，不看验证集。请去掉 --validate。"),
    "cannot_regrow_cli": "这棵树是按验证集剪枝的，而它没有保存验证集，所以不能在别的数据上重新生成。",
    "unseen_level_cli": (
        "第 {row} 行：列“{column}”的“{value}”没有在训练集中出现过，训练集中有：{known}。\n"
        "若仍要回答，按提问的结点作答：--unseen stop。"
    ),
    "note_left_out_date_cli": (
        "“{column}”不参与学习：它是日期（{value}）。--dates month,weekday 可把日期变成列。"
    ),
    "note_target_named_cli": "列“{column}”因其名称被当作目标。要用别的列：--target 列名。",
    "note_target_is_number_cli": (
        "目标“{column}”视为数值（回归）：它有 {n} 个不同的整数，多于 {most} 个。"
        "若它们是类别，请在 --schema 中写明。"
    ),
    "note_taken_as_missing_cli": (
        "“{column}”中的“{value}”视为缺失（{n} 行）。若它是取值，请用 --schema 列出该列的取值。"
    ),
    "note_taken_as_value_cli": (
        "“{column}”中的“{value}”视为取值。若它表示缺失：--missing-marker '{value}'。"
    ),
    "note_odd_number_cli": (
        "“{column}”除个别单元格外都是数，第一个在第 {row} 行：“{value}”。"
        "该列按类别处理；若它表示缺失：--missing-marker '{value}'。"
    ),
    "note_header_is_data_cli": (
        "{source} 的第一行像是数据（以“{column}”开头）。若文件没有表头：--names A,B,…"
    ),
    # 命令：check
    "check_head": "{source}   {rows}, {columns}, {encoding}",
    "check_columns": "{n} 列",
    "check_not_utf8": "{encoding}（不是有效的 UTF-8）",
    "check_told": "{encoding}（按指定）",
    "kind_nominal": "类别",
    "kind_numeric": "数值",
    "kind_ordered": "有序",
    "kind_target": "目标",
    "kind_id": "编号",
    "kind_date": "日期",
    "kind_empty": "空",
    "kind_weight": "权重",
    "kind_ignored": "忽略",
    "kind_other": "其他",
    "check_range": "{low} 到 {high}, {n} 个值",
    "check_more": "另 {n} 个",
    "check_left_out": "不参与学习",
    "check_missing": "{n} 个缺失",
    "note_same_rows": "第 {rows} 行相同。",
    "note_same_rows_more": "另有 {n} 组相同的行。",
    "note_contradiction": "第 {rows} 行只有标签不同（{labels}）。",
    "note_contradictions_more": "另有 {n} 组只有标签不同的行。",
    "note_ceiling": "任何决策树最多能答对这 {of} 行中的 {right} 行。",
    "note_shared_out": (
        "{n} 个样本长出了 {leaves} 个叶结点：缺失值的样本被分摊到所有分支。\n"
        "`--min-weight 1` 使不足一个样本的结点不再划分。"
    ),
    "note_one_class": "所有行都是“{class_}”：决策树只有一个叶结点。",
    # 命令：fit, show
    "summary": "{leaves}，{depth}",
    "summary_training": "{leaves}，{depth}，{training}",
    "ties": "{n} 处平局，按列的次序取前者：{ties}",
    "tie_columns": "{columns} = …（共 {n} 列）",
    "tie_under": "{columns} ({score})，在 {place} 之下",
    "tie_at_root": "{columns} ({score})，在根结点",
    "ties_more": "{ties}；另有 {n} 处",
    "gain_and_ratio": (
        "在根结点，{gainer} 的信息增益更大（{more} 比 {less}），"
        "{chosen} 的增益率更大（{better} 比 {worse}）。"
    ),
    "sibling": "--recipe {recipe} 得到另一棵树：{leaves}，{right}/{of}。",
    "sibling_penalty": (
        "--recipe {recipe} 会降低数值属性的信息增益，以 {column} 开始：{leaves}，{right}/{of}。"
    ),
    "note_empty_branches": "{n} 个分支没有训练样本，未画出；`penjing show --empty` 可画出。",
    "note_grown_from": "用 {of} 行中的 {n} 行生成；其余 {rest} 行作验证集，决定剪枝。",
    "note_no_trace": (
        "没有保存生成过程，因为它太大。`penjing why` 和 `penjing trace` 会改读训练集文件。"
        "\n若仍要保存：--trace。"
    ),
    "note_no_trace_disk": (
        "计算引擎 disk 不保存生成过程。`penjing why` 和 `penjing trace` 会改读训练集文件。"
        "\n若仍要保存：--trace。"
    ),
    "trace_large": "保存的生成过程没有包括每个结点；其余结点由 `penjing why` 从训练集文件计算。",
    # 命令：why
    "why_head": "{place}, {rows}, {mixed}, {measure}",
    "why_head_empty": "{place}, {rows}",
    "why_head_number": "{place}, {rows}, 均值 {mean}, Var(D) = {variance}",
    "why_column": "属性",
    "why_ent_after": "条件熵",
    "why_var_after": "划分后方差",
    "why_gain": "信息增益",
    "why_split_information": "固有值",
    "why_ratio": "增益率",
    "why_gini": "基尼指数",
    "why_own": "自定",
    "why_missing": "缺失",
    "why_cut": "划分点",
    "why_chosen": "选中",
    "why_equal": "平局",
    "why_below": "增益低于平均",
    "why_no_gain": "没有增益",
    "why_no_average": "没有可比的平均增益",
    "why_many_levels": "取值过多",
    "why_screened": "增益或固有值太小",
    "why_costly": "允许的划分点的增益都不超过其代价",
    "why_not_allowed": "允许的划分都没有增益",
    "why_best": "最好",
    "why_score": "得分",
    "why_rules_quinlan": (
        "由得分决定：信息增益（连续属性先减去 log2(划分点数)/样本数）除以固有值，缺失值算作另一部分；“-”表示没有参加比较。"
    ),
    "why_rules_c50": (
        "由得分决定：信息增益（连续属性先减去 log2(划分点数，或较小的 取值范围/间隔)/样本数）除以固有值；“-”表示没有参加比较。"
    ),
    "why_rules_rpart": "由得分决定：rpart 的改进量（预测数值时，为占结点平方和的比例）。",
    "why_rules_sklearn": "由得分决定：scikit-learn 的不纯度减少量。",
    "why_silent": "{columns} 不能划分这些样本。",
    "why_tied": "平局：{columns} 相等，取排在最前的 {chosen}。",
    "why_cuts_hidden": "另有 {n} 个增益较小的划分点没有保存。",
    "why_hint": "--all 写出每个属性的算式；--cuts 列名 列出其全部划分点。",
    "no_trace": "模型没有保存生成过程。\n请给出训练集（data=…），或用 trace=True 重新生成。",
    "no_trace_cli": (
        "模型没有保存生成过程。\n请给出训练集：--train 文件；或保存生成过程：penjing fit --trace。"
    ),
    "no_trace_pruned": (
        "模型经过剪枝，没有保存生成过程。\n请给出训练集（data=…），或查看剪枝前的模型。"
    ),
    "no_trace_pruned_cli": (
        "模型经过剪枝，没有保存生成过程。\n请给出训练集：--train 文件；或查看剪枝前的模型。"
    ),
    "no_trace_here": "保存的生成过程没有包括结点 {node}。请给出训练集（data=…）。",
    "no_trace_here_cli": "保存的生成过程没有包括结点 {node}。请给出训练集：--train 文件。",
    "no_such_node": "没有结点 {node}。结点从 0（根结点）编号到 {last}。",
    "no_such_branch": "“{column}”没有分支“{word}”。它有：{known}。",
    "no_such_branch_near": "“{column}”没有分支“{word}”。它有：{known}。\n是不是“{near}”？",
    "no_branch_of_leaf": "路径“{word}”在叶结点之后还有下文。",
    "no_cuts": "列“{column}”在这里没有划分点。有划分点的列：{known}。",
    "stop_pure": "叶结点，{answer}：样本全属于同一类别（条件 1）。",
    "stop_alike": "叶结点，{answer}：属性集为空，或样本在所有属性上取值相同（条件 2）。",
    "stop_empty": "叶结点，{answer}：没有训练样本到达，取父结点的多数类（条件 3）。",
    "stop_max_depth": "叶结点，{answer}：达到深度上限。",
    "stop_min_weight": "叶结点，{answer}：样本太少，不再划分。",
    "stop_no_gain": "叶结点，{answer}：算法允许的划分都没有足够的增益。",
    "stop_min_gain": "叶结点，{answer}：最好的划分增益也太小。",
    "stop_max_leaves": "叶结点，{answer}：达到叶结点数上限。",
    "stop_validation": "叶结点，{answer}：划分没有提高验证集精度（预剪枝）。",
    "stop_pruned": "叶结点，{answer}：它的划分已被剪去（后剪枝）。",
    "stop_by_hand": "叶结点，{answer}：手工写的树到此为止。",
    # 命令：trace
    "story_head_by_hand": (
        "{rows} 行数据如何经过手工给出的 {target} 的决策树，共 {n} 个结点。对数以 2 为底。"
    ),
    "story_head": "{target} 的决策树如何由 {rows} 行数据按 {recipe} 生成，共 {n} 步。对数以 2 为底。",
    "story_step": "第 {i} 步，共 {n} 步：{place}",
    "story_more": "另有 {n} 步；--steps 0 全部列出。",
    "story_cut_short": "保存的生成过程没有包括每个结点；其余结点可由 `penjing why` 从训练集计算。",
    "story_label_rows": "样本",
    "story_label_stop": "停止？",
    "story_label_weigh": "比较",
    "story_label_choose": "选择",
    "story_label_branches": "分支",
    "story_label_empty": "空分支",
    "story_label_leaf": "叶结点",
    "story_rows": "{n}：{mixed}",
    "story_which_rows": "{n}（{which}）：{mixed}",
    "story_mean": "均值 {mean}，方差 {variance}",
    "story_is_pure": "同一类别：",
    "story_is_pure_number": "同一数值：",
    "story_is_alike": "没有属性能区分：",
    "story_is_max_depth": "达到深度 {limit}：",
    "story_is_min_weight": "样本少于 {limit}：",
    "story_is_min_gain": "最大增益小于 {limit}：",
    "story_is_no_gain": "允许的划分都没有足够的增益：",
    "story_is_complexity": "划分节省的抵不上增加的叶结点（复杂度 {limit}）：",
    "story_is_validation": "不提高验证集精度：",
    "story_is_max_leaves": "达到 {limit} 个叶结点：",
    "story_is_pruned": "已剪去：",
    "story_is_by_hand": "手工：",
    "story_yes": "是",
    "story_no": "否",
    "story_semicolon": "；",
    "story_weighed": "{all}（{measure}）",
    "story_by_gain": "信息增益",
    "story_by_gain_ratio": "增益率",
    "story_by_gini": "基尼指数，最小者胜",
    "story_by_variance": "方差的减少",
    "story_by_gini_gain": "基尼指数的减少",
    "story_by_quinlan_gain": "得分：增益减去划分点的代价",
    "story_by_quinlan_gain_ratio": "得分：增益减去划分点的代价，再除以固有值",
    "story_by_rpart": "得分：rpart 的改进量",
    "story_by_sklearn": "得分：scikit-learn 的不纯度减少量",
    "story_out_below": "增益低于平均：{columns}",
    "story_out_no_gain": "没有增益：{columns}",
    "story_out_no_average": "C4.5 要求的平均增益没有属性可算，因此都不参加比较：{columns}",
    "story_out_many_levels": "相对样本数取值过多：{columns}",
    "story_out_screened": "增益或固有值太小，不参加比较：{columns}",
    "story_out_costly": "允许的划分点的增益都不超过其代价：{columns}",
    "story_out_not_allowed": "允许的划分都没有增益：{columns}",
    "story_tie": "{chosen}；与 {columns} 平局，按列的次序取前者",
    "story_alone": "{chosen}，{score}；没有别的属性参与比较",
    "story_chosen": "{chosen}，比 {rival} 多 {ahead}",
    "story_chosen_less": "{chosen}，比 {rival} 小 {ahead}",
    "story_empty": "{levels}：没有样本，叶结点取这里的多数类 {answer}",
    "story_leaf": "{answer}",
    # 命令：prune
    "prune_step": "步",
    "prune_subtree": "子树",
    "prune_rows": "样本",
    "prune_errors": "保留的错误",
    "prune_bits": "保留的比特数",
    "prune_costs": "保留的代价",
    "prune_correct": "保留的正确",
    "prune_squares": "保留的平方和",
    "prune_leaf": "作叶结点",
    "prune_decision": "决定",
    "prune_cut": "剪枝 {arrow} {answer}",
    "prune_keep": "保留",
    "nothing_to_prune": "没有可剪的：{what}。",
    "pruned_head": "如何剪枝（{method}），共 {n} 个决定：",
    "pruned_step": "{place}：{measure} {kept}，作叶结点 {as_leaf}：{decided}",
    "pruned_node": "剪枝前的结点 {node}",
    "pruned_here": "结点 {now}（{path}；剪枝前为 {node}）",
    "pruned_gone": "结点 {now} 之下（{path}；剪枝前为 {node}）",
    "pruned_cut": "剪去",
    "pruned_keep": "保留",
    "pruned_raise": "由最大的分支取代",
    "prune_leaves": "叶结点由 {before} 个变为 {after} 个",
    "prune_before_after": "{name}由 {before} 变为 {after}",
    "name_training": "训练",
    "name_validation": "验证",
    "name_test": "测试",
    "name_leave_one_out": "留一法",
    "bad_pairs": (
        "--{name} 的值是 {value}：应写作 `名=数,名=数`（如 `yes=0.3,no=0.7`）或 JSON"
        '（如 `{{"yes": 0.3, "no": 0.7}}`）。'
    ),
    "settings_clash": "{one} 和 {other} 都规定了 `{name}`，且互相矛盾。请只给一个。",
    "bad_set": "--set {word} 看不懂。请给出设置及其值：--set min_gain=0.1。",
    "prune_summary": "{method}：{what}。",
    "method_prepruned": "预剪枝",
    "method_reduced_error": "错误率降低剪枝",
    "method_pessimistic": "悲观剪枝",
    "n_training": "训练 {right}/{of}",
    "n_validation": "验证 {right}/{of}",
    "n_test": "测试 {right}/{of}",
    "n_leave_one_out": "留一法 {right}/{of}",
    "same_file": (
        "决定剪枝的文件也是报告精度的文件。\n"
        "这样得到的不是测试精度。请用 --validate-share 0.3；若仍要如此，用 --same-file。"
    ),
    "note_other_rows": (
        "{source} 有 {n} 行，而决策树由 {grown} 行生成。"
        "它不是训练集，因此有些数来自决策树，有些来自 {source}。"
    ),
    "note_other_classes": (
        "{source} 的各类样本数与决策树的训练集不同：它不是训练集，"
        "因此有些数来自决策树，有些来自 {source}。"
    ),
    "note_other_file": "{source} 的内容与训练时的文件不同；候选划分由 {source} 算出。",
    "plugins_criterion": "划分准则",
    "plugins_dialect": "方言",
    "plugins_pruner": "剪枝方法",
    "plugins_engine": "计算引擎",
    "plugins_renderer": "输出形式",
    "plugins_export": "导出",
    "note_command_renamed": "penjing {old} 现名为 penjing {new}；下一版本将不再接受旧名。",
    "old_module": "模块 {old} 现名为 {new}；penjing 0.3 将不再提供旧名。",
    "old_entry_point": "插件“{name}”使用入口点组 {old}，现名为 {new}；penjing 0.3 将不再读取旧组。",
    "note_option_renamed": "{old} 现名为 {new}；下一版本将不再接受旧名。",
    "note_same_file": "同样的数据既决定剪枝又报告精度：这不是测试精度。",
    "two_validations": "--validate 文件 与 --validate-share 只能用一个。",
    "share_needs_training": (
        "--validate-share 从训练集中取出一部分，而手头没有训练集。\n请用 --train 文件 指明。"
    ),
    "note_other_markers": "缺失标记按给定的取 {said}。模型训练时用的是 {kept}。",
    "schema_not_models": "模型把“{column}”当作 {kind}，此处的 --schema 不能改变它。请用该 schema 重新训练模型。",
    "ignored_is_asked": "树按“{column}”划分，此处不能略去该列。请用 --ignore '{column}' 重新训练模型。",
    "note_training_tested": "{source} 就是生成这棵树的文件：这说明拟合得如何，不说明预测得如何。",
    "note_training_validates": "{source} 就是生成这棵树的文件：它不能决定剪什么。",
    "note_training_rows_tested": (
        "{source} 与生成这棵树的文件样本相同：结果只说明拟合得如何，不说明预测得如何。"
    ),
    "note_validation_tested": "{source} 决定过这棵树的剪枝：它不是测试集。",
    # 命令：test
    "test_name": "测试",
    "test_why": "原因：{equal}",
    "test_equal_one": "第 {row} 行与训练集第 {train} 行相同，只是标签不同。",
    "test_equal_all": "它们与训练集第 {train} 行相同，只是标签不同。",
    "test_equal_some": "第 {rows} 行与训练集第 {train} 行相同，只是标签不同。",
    "test_ceiling": "完全拟合 {train} 的树，在这个文件上不会超过 {right}/{of}。",
    "test_ceiling_indent": "      ",
    "test_class": "类别",
    "test_precision": "查准率",
    "test_recall": "查全率",
    "test_support": "样本",
    "test_below": "精度 {accuracy} 低于 {demanded}。",
    "test_no_accuracy": "--min-accuracy 用于类别，而“{target}”是数值。",
    # 命令：compare
    "compare_leaves": "叶结点",
    "compare_training": "训练",
    "compare_leave_one_out": "留一法",
    "compare_agree": "两棵树对 {name} 的每一行回答相同。",
    "compare_differ_one": "两棵树只在 {name} 的第 {rows} 行上不同。",
    "compare_differ": "两棵树在 {name} 的第 {rows} 行上不同。",
    "compare_evidence_one": "{of} 行中的 {number} 行不足以说明{claim}",
    "compare_evidence": "{of} 行中的 {number} 行不足以说明{claim}",
    "compare_claim_pruning": "剪枝有益",
    "compare_claim": "哪一棵更好",
    "compare_clear": "在恰有一棵答对的 {of} 行中，{better} 答对了 {n} 行：p = {p}",
    "compare_loo_agrees": "；留一法的结论方向一致。",
    "compare_loo_disagrees": "；留一法的结论相反。",
    "compare_loo_equal": "；留一法分不出高下。",
    "compare_loo_none": "。",
    "compare_same": "两棵树的问题与回答都相同。",
    "compare_one_tie": "两棵树只差一处平局：{what}。",
    "compare_differences": "两棵树在 {n} 处不同：{what}。",
    "compare_tie": "{place}，{a} 与 {b} 平局 ({score})",
    "compare_column": "{place}，{a}；{b}",
    "compare_cut": "{place}，{a}；{b}",
    "compare_groups": "{place}，{a} 的取值分组不同",
    "compare_leaf": "{place}，{a}；{b}",
    "compare_answer": "{place}，{a}；{b}",
    "compare_at_root": "在根结点",
    "compare_at": "在 {place}",
    "compare_question": "问 {column}",
    "compare_the_answer": "答 {answer}",
    "note_no_leave_one_out": "没有做留一法：{of} 行超过 {limit} 行。要做请用 --leave-one-out。",
    "note_no_regrow": "{name} 没有留一法的结果：{why}",
    # 命令：predict
    "cannot_encode": (
        "输出不能写成 {encoding}：其中没有“{character}”。请用 --output-encoding utf-8 或 gb18030。"
    ),
    # 命令：recipes, plugs
    "recipes_choice": "划分的选择",
    "recipes_cuts": "连续值的切分点",
    "recipes_sizes": "规模",
    "recipes_missing": "缺失值与未见取值",
    "recipes_costs": "代价与概率",
    "recipes_pruning": "剪枝",
    "recipes_foot": "括号内由规则固定；· 表示该配方没有此项；cart 即 rpart。\n"
    "查看一个配方及各项含义：`penjing recipes 名称`；改变一项：`--set 名称=值`。",
    "setting_rules": "按谁的最小样本数、容差和并列规则",
    "setting_criterion": "用什么衡量划分",
    "setting_shape": "离散属性如何分支",
    "setting_zero_gain": "增益为零的划分可否入选",
    "setting_min_gain": "划分的最小增益",
    "setting_many_levels": "取值数达到样本数这一比例的属性不计入平均增益",
    "setting_slack": "筛选（平均增益、分裂信息、折叠）时允许的误差",
    "setting_ties": "并列的划分取哪一个",
    "setting_tolerance": "相差不超过它的数视为相等",
    "setting_precision": "32 位还是 64 位",
    "setting_sums": "求和是否像 C4.5 和 rpart 那样依赖样本次序",
    "setting_nominal": "离散属性如何处理",
    "setting_max_features": "每个结点抽取多少个属性",
    "setting_random_state": "抽取属性的随机种子",
    "setting_random_start": "抽取属性的随机数发生器的起始状态，代替随机种子",
    "setting_cut_at": "切分点的位置：中点，或不超过中点的训练值",
    "setting_cut_tolerance": "该值可超过中点多少",
    "setting_cut_cost": "切分点是否扣除 log2(候选数) / 样本数",
    "setting_gap": "相距不超过它的值不可分开",
    "setting_side_share": "切分点每侧至少占每类已知权重的比例",
    "setting_side_most": "上述要求的上限",
    "setting_min_branch": "至少两个分支须有的权重",
    "setting_min_weight": "可划分结点的最小权重",
    "setting_max_depth": "路径上最多的问题数",
    "setting_max_leaves": "最多叶结点数",
    "setting_minsplit": "可划分结点的最少样本数",
    "setting_minbucket": "每侧最少样本数（none：minsplit / 3）",
    "setting_min_samples_split": "可划分结点的最少样本数",
    "setting_min_samples_leaf": "每侧最少样本数",
    "setting_min_weight_fraction_leaf": "每侧最小权重占总权重的比例",
    "setting_min_impurity_decrease": "整棵树不纯度的最小下降",
    "setting_minimum_slips": "最小样本数是否像 C4.5 -s 那样滑落到 1",
    "setting_missing": "缺失值如何处理",
    "setting_unseen": "训练中未见的取值如何处理",
    "setting_empty": "无样本的分支如何回答",
    "setting_usesurrogate": "0 留在原结点，1 用替代划分，2 再不行随多数",
    "setting_maxsurrogate": "每个问题最多的替代划分数",
    "setting_surrogatestyle": "一致率按哪些样本计算",
    "setting_prior": "各类的先验概率",
    "setting_loss": "每种错误回答的代价",
    "setting_class_weight": "各类样本的权重",
    "setting_cost": "测试一个属性的代价",
    "setting_laplace": "类概率取 (n + 1) / (N + 类数)",
    "setting_pruning": "如何剪枝",
    "setting_collapse": "是否去掉不减少训练错误的子树",
    "setting_confidence": "基于错误剪枝的置信度 CF",
    "setting_deviate": "正态偏差：C4.5 的表，或分位数",
    "setting_last_errors": "几乎全错时所加的剩余样本比例",
    "setting_raise_branches": "最大的分支可否取代其父结点",
    "setting_least_gain": "增益低于它的属性不予考虑",
    "setting_screen_share": "属性须达到最低增益的这一比例",
    "setting_screen_few": "每类样本不多于它时，最低增益取平均增益",
    "setting_screen_many": "每类样本不少于它时，最低增益取 0.9 log2(属性数) / 样本数",
    "setting_near_ties": "增益率与最好者相差在这一比例内：分支少者优先，再比增益",
    "setting_pure_share": "一类占到这一比例的结点视为纯",
    "setting_numbers": "表中的数按 32 位还是 64 位比较",
    "setting_gap_cost": "间隔宽的切分点代价是否较小",
    "setting_collapse_share": "错误达到叶结点这一比例的子树折叠",
    "setting_pool": "轻于 min_branch 的分支是否合并估计",
    "setting_raise_share": "取代父结点的分支至少占的样本比例",
    "setting_regrow_share": "比例低于它时重新生长",
    "setting_global_pruning": "是否在一个标准误差内去掉弱的子树",
    "setting_gather": "离散问题下同类的叶结点是否合并",
    "setting_cp": "每个叶结点至少减少的风险（占根结点的比例）",
    "setting_alpha": "同上，不按比例",
    "setting_ccp_alpha": "一个叶结点相当的不纯度",
    "setting_xval": "交叉验证 cp 表的组数",
    "setting_loss_transposed": "交叉验证是否像 rpart 那样把代价矩阵转置",
    "setting_stuck_repeats": "卡住的样本是否像 rpart 那样记前一样本的错误",
    "progress": "生成中：{leaves} 个叶结点，{rows} 行已归位",
    # c4.5, j48
    "quinlan_needs_classes": (
        "配方 'c4.5'、'j48' 和 'c5.0' 需要以类别为目标，而 '{target}' 是数值。请用配方 'cart'。"
    ),
    "sums_need_single": "sums='cases' 是 C4.5 的 32 位算法，须与 precision='single' 一起使用。",
    "c50_subsets": (
        "C5.0 的选项 -s 所用的取值分组准则从未公开，因此配方 c5.0 没有 -s。\n"
        "请不带 -s 使用 c5.0，或使用配方 c4.5 的 -s。"
    ),
    "c50_rules": (
        "C5.0 的选项 -r 把树变成规则；拟合得到的是树。请不带 -r 拟合，再求规则：\n"
        "tree.ruleset(rows, votes=True)，或：penjing ruleset MODEL --train ROWS --votes"
    ),
    "below_needs_rows": "从一个结点继续生成树需要该结点的样本，而此引擎没有；请使用 native 或 memory 引擎。",
    "cases_need_rows": (
        "sums='cases' 逐个样本求和，而这个引擎只有样本的总和。\n"
        "请用 engine='native' 或 engine='memory'，或 sums='exact'。"
    ),
    "sums_need_native": (
        "sums='cases' 需要 native 引擎、每个取值一个分支，且不记录生长过程。\n"
        "请用 engine='native'，或 sums='exact'。"
    ),
    "raising_needs_rows": (
        "提升分支需要训练数据，而手头没有。\n"
        "请指明（Python 中用 `training=…`，命令行用 `--train 文件`），或不提升分支：\n"
        "`raise_branches=False`、`--no-raise`。"
    ),
    # rpart、scikit-learn、代价复杂度剪枝
    "bad_length": "{name} 有 {n} 个值，应为 {expected} 个。",
    "only_for_classes": "{name} 只用于类别，而“{target}”是数值。请去掉它。",
    "bad_numbers": "{name}={value!r} 不能用。请按名称给出数，或按次序给出全部：{example}。",
    "bad_random_state": "{name}={value!r} 不能用：应为 0 到 4294967295 的整数，或 None。",
    "bad_cost": "cost={value!r} 不能用：提问的代价应大于 0。",
    "bad_prior": "prior={value!r} 不能用：先验概率应不小于 0，且总和为 1。",
    "bad_loss": "损失矩阵不能用：应有 {n} 行，每行 {n} 个不小于 0 的数，对角线为 0，且每行都有大于 0 的数。",
    "too_many_levels": (
        "列“{column}”在一个结点中有 {n} 个取值：类别多于两个时要试遍所有分组，超过 {most} 个取值就太多了。\n"
        "请声明取值的次序、合并取值，或去掉这一列。"
    ),
    "nominal_refused": (
        "列“{column}”是离散的，而 scikit-learn 只认数。请把它编码为数，或用 nominal='position'。"
    ),
    "too_large_single": (
        "列“{column}”中的 {value!r} 超出 32 位浮点数的范围。请缩放这一列，或用 precision='double'。"
    ),
    "unknown_class": "{option} 中的类别“{word}”不在表中。现有的类别：{known}。",
    "unknown_class_near": (
        "{option} 中的类别“{word}”不在表中。现有的类别：{known}。最接近的是 {near}。"
    ),
    "needs_cp_table": (
        "代价复杂度剪枝需要 alpha 或 cp，或一棵带有交叉验证表的树。\n请用 rpart 配方和 xval=10 生成。"
    ),
    "complexity_needs_counts": "代价复杂度剪枝需要训练行的计数，而这棵树是手写的。",
    "complexity_needs_two": "rpart 的复杂度只用于两个分支的问题，而这里有一个问题有 {n} 个分支。",
    "stop_complexity": "叶结点，{answer}：任何划分节省的都抵不上它增加的叶结点。",
    # estimators
    "needs_sklearn": "penjing.{name} 需要 scikit-learn，但尚未安装：pip install 'penjing[sklearn]'。",
    "no_answers": "训练决策树需要 y，但 y 是 None。请给出每一行的答案：fit(X, y)。",
    "missing_feature": (
        "X 第 {row} 行“{column}”列：值缺失（NaN），而此方案不接受缺失值。请设 missing='fraction'，或换用别的方案。"
    ),
    "other_features": "各列的名字和次序应与训练时相同。应为：{expected}。实为：{found}。",
    "sparse_refused": "X 或 y 是稀疏矩阵（sparse），不支持稀疏输入。请先转为稠密：X.toarray()。",
    "outputs_refused": "y 有 {n} 列，不支持多输出：请为每一列各生成一棵树（sklearn.multioutput 可以）。",
    "nested_argument": (
        "{source} 第 {row} 行“{column}”列：{value} 既不是文字也不是数。每个值应为字符串或数（string or number）。"
    ),
    "dates_in_feature": "{source} 的“{column}”列是日期。请先化为数：年、月、星期、距某日的天数。",
    "bad_weight_fraction": "min_weight_fraction_leaf={value!r} 不能用：应为 0 到 0.5 之间的比例。",
    "weight_fraction_unknown": (
        "方案“{recipe}”数的是行数，不是权重：请用 min_samples_leaf 代替 min_weight_fraction_leaf。"
    ),
    "not_a_fitted_tree": (
        "{kind} 里没有训练好的 scikit-learn 树。请先 fit；管道请给最后一步，森林请给 estimators_ 中的一棵。"
    ),
    # exports
    "export_option": "“{word}”不是导出 {kind} 的选项。可用的选项：{known}。",
    "export_option_near": (
        "“{word}”不是导出 {kind} 的选项。可用的选项：{known}。\n是否想写“{near}”？"
    ),
    "export_missing_error": "导出的程序无法对缺失值报错。导出 {kind} 时请用 missing='stop' 或 missing='fraction'，或沿用生成这棵树时的设置。",
    "export_alike": "列“{column}”有两个取值的文字都是“{level}”，而 {kind} 程序只按文字区分取值。请改名后重新生成。",
    "export_text": "{text} 含有 {kind} 无法表示的字符。请改名后重新生成。",
    "export_no_shares": "这棵树把缺值的行按比例分给每个分支，{kind} 做不到。请用 missing='stop' 导出；预测时也用 missing='stop' 才会得到相同的结果。",
    "export_no_shares_cli": "这棵树把缺值的行按比例分给每个分支，{kind} 做不到。请用 --missing stop 导出。",
    "export_no_error": "这棵树拒绝没见过的取值，而 {kind} 无法拒绝一行。请用 unseen='stop' 或 unseen='missing' 导出。",
    "export_no_error_cli": "这棵树拒绝没见过的取值，而 {kind} 无法拒绝一行。请用 --unseen stop 或 --unseen missing 导出。",
    "export_too_deep": "有 {depth} 层问题嵌套，超过了 {kind} 的上限 {limit}。请先剪枝，或导出为 python、c、javascript、java。",
    "export_too_long": "{kind} 文本会超过 {limit} 个字符的上限。请先剪枝，或导出为别的格式。",
    "export_too_many": "这棵树需要 {n} 个单元，超过了导出 {kind} 的上限 {limit}。请先剪枝，或导出为 python、c、javascript、java。",
    "export_table": "{value!r} 不能作表名。",
    "export_names": "有两列的名字只差大小写，{kind} 会把它们当成同一列。请改名后重新生成。",
    "export_costs": "这棵树既计算错误的代价，又把行按比例分配；{kind} 查询无法同时做到。请用 missing='stop' 导出，或导出为别的格式。",
    "export_needs": "导出 {kind} 需要软件包 {package}：pip install 'penjing[export]'。",
    "export_class_name": "{value!r} 不能作 Java 的类名：只能用字母、数字和下划线，不以数字开头，也不能是 Java 或该程序自己用到的词。",
    "export_cell": "{value!r} 不是列“{column}”可用的单元格。请写成 B2 这样。",
    "export_empty_level": "列“{column}”的取值中有空文本，而 {kind} 要用它表示缺失值。请给该取值改名后重新生成。",
    "export_bytes": "{kind} 不是文本。请指定文件：-o tree.{kind}。",
    "export_cells": "单元格：{cells}",
    # curves and the report
    "curve_learning": "学习曲线",
    "curve_pruning": "剪枝曲线",
    "curve_calibration": "校准",
    "curve_rows": "行数",
    "curve_leaves": "叶结点",
    "curve_alpha": "alpha",
    "curve_train": "训练",
    "curve_test": "测试",
    "curve_accuracy": "精度",
    "curve_rmse": "RMSE",
    "curve_said": "所称",
    "curve_right": "正确",
    "curve_ideal": "所称即正确",
    "curve_weight": "行数",
    "dossier_size": "{leaves} 个叶结点，深度 {depth}",
    "dossier_provenance": "来源",
    "dossier_recipe": "配方",
    "dossier_by_hand": "手写",
    "dossier_source": "训练数据",
    "dossier_hash": "SHA-256",
    "dossier_rows": "行数",
    "dossier_pruning": "剪枝",
    "dossier_version": "生成者",
    "dossier_data": "训练数据",
    "dossier_name": "列",
    "dossier_kind": "类型",
    "dossier_missing": "缺失",
    "dossier_values": "取值",
    "dossier_tree": "决策树",
    "dossier_rules": "规则",
    "dossier_more": "另有 {n} 条",
    "dossier_test": "测试数据上",
    "dossier_folds": "{k} 折交叉验证",
    "dossier_numbers": "数值",
    # 超出内存
    "disk_cannot": "引擎 disk 对这些数据按 '{recipe}' 生成决策树需要 {wanted} 内存，超过上限 {limit}。请提高 memory_limit，取部分样本，或改用可以计数的算法与列：id3、c4.5-textbook、cart-textbook 或 cart-binary，分类目标，无权重，无缺失值。",
    "disk_cannot_cli": "引擎 disk 对这些数据按 '{recipe}' 生成决策树需要 {wanted} 内存，超过上限 {limit}。请提高 --memory-limit，取部分样本，或改用可以计数的算法与列：id3、c4.5-textbook、cart-textbook 或 cart-binary，分类目标，无权重，无缺失值。",
    "bad_memory_limit": "memory_limit 应为字节数，或形如 '2GB' 的文字，现为 {value!r}。",
    "work_folder": "无法在文件夹 {folder} 中工作：{reason}。请用 work=（--work）指定另一个文件夹。",
    "work_taken": "另一个任务正在使用 {folder}。请等待其结束，或用 work=（--work）指定另一个文件夹。",
    "disk_full": "磁盘已满：{folder} 还需要 {wanted}，可用 {free}。请腾出空间，或用 work=（--work）指定更大磁盘上的文件夹。",
    "wide_decimals": "{source}：“{column}”含超过 38 位的十进制数，需用 pyarrow 读取，尚未安装：pip install 'penjing[disk]'。",
    "needs_pyarrow": "读取超出内存的表需要 pyarrow，尚未安装：pip install 'penjing[disk]'。",
    "folder_without_tables": "{source} 中没有表：不含 .parquet、.csv 或 .jsonl 文件。",
    "mixed_forms": "{source} 的文件格式不一。请只给出同一种格式的文件：Parquet、CSV 或 JSON lines。",
    "files_differ": "{other} 的列与 {one} 不同。作为一张表读取的文件，列及其顺序必须一致。",
    "needs_query": "{source} 是数据库。请用 query=（--query）说明要查询什么：SQL，或表名。",
    "query_without_database": "{source} 不是数据库，无法用 SQL 查询。DuckDB 文件写作 `duckdb:FILE`。",
    "query_not_select": "查询“{query}”不是单条 SELECT。请给出一条，或 {source} 中的表名。",
    "query_failed": "{source} 无法回答该查询：{reason}。",
    "too_many_texts": "{source}：“{column}”有超过 {n} 个取值，内存容纳不下。请忽略该列：schema={{'{column}': 'ignore'}}（--ignore）。",
    "note_engine_native": "引擎 native：表在内存中约占 {needs}，上限为 {limit}。",
    "note_engine_disk": "引擎 disk：表在内存中约需 {needs}，超过上限 {limit}，因此各行编码后存放在磁盘文件夹中。",
    "progress_reading": "读取：{rows:,} 行",
    "progress_generation": "第 {generation} 代：{open:,} 个待分结点，已查看 {rows:,} 行",
    # rows that stay where they are
    "engine_lacks_numeric_target": "目标 {column} 是数值；在别处求和，舍入会有出入。请用会读取数据行的引擎：native 或 disk。",
    "remote_date_column": "{column} 列是日期。请在查询中取其各部分，例如 extract(month from …)，或不用此列：schema={{'{column}': 'ignore'}}。",
    "remote_too_many_numbers": "{column} 列有 {most} 个以上不同的数值，只能当作连续属性。请写 schema={{'{column}': 'numeric'}}，或在查询中转为文本。",
    "remote_infinite": "{source}：{column} 列含有无穷大。请在查询中把它换成 NULL 或有限的数。",
    "remote_rows_changed": "数据行与先前不同：现在 {found} 行，先前 {expected} 行。请先把 DataFrame 写入文件或缓存，使其不再变化，再来训练。",
    "spark_blocks_lost": "工作节点连续 {n} 次找不到数据块。请让任务在数据块所在的节点上运行：spark.locality.wait。",
    "remote_no_columns": "{source} 除目标列外没有可用的列。",
    "engine_lacks_missing": "引擎 {engine} 无法按 missing='{missing}' 处理 {column} 列缺失的行。请用引擎 native 或 disk，或改用带替代划分的配方（rpart）。",
    "engine_lacks_recipe": "引擎 {engine} 不支持配方 {recipe} 的规则。支持的有：{known}。",
    "spark_many_levels": "{source}：“{column}”有超过 {n} 个取值，spark 引擎无法计数。请忽略该列：schema={{'{column}': 'ignore'}}（--ignore），或改用保留该列的 native 或 disk 引擎。",
    "sql_too_deep": "{source}：树过深，无法写成对数据库的查询。请用 max_depth（--max-depth）限制深度，或改用 native 或 disk 引擎。",
    "not_a_dialect": "插件 {name} 不是方言：应为 penjing.grow.dialect.Dialect 对象。见 CONTRIBUTING.md。",
    "engine_lacks_xval": "数据行留在原处，引擎 {engine} 无法做交叉验证。请设 xval=0。",
    "engine_lacks_setting": "引擎 {engine} 不取出数据行，而 {setting} 需要数据行。请去掉 {setting}，或用引擎 native、disk。",
    "other_checkpoint": "文件夹 {folder} 保存的是另一份数据或另一种配方的各代结果。请换一个文件夹，或删除它。",
    "table_or_query": "数据在数据库的哪里？请给出 table='表名' 或 query='select …' 之一。",
    "sql_failed": "{source} 的回答：{said}",
    "engine_needs": "引擎 {engine} 需要软件包 {package}：pip install 'penjing[{engine}]'。",
    "note_auto": "自动选择配方 {recipe}：{reason}。",
    "auto_textbook": "数据不超过 1000 行，全部是离散属性，没有缺失值",
    "auto_classes": "目标是类别；C4.5 能处理连续属性和缺失值，并对树剪枝",
    "auto_number": "目标是连续值；用交叉验证剪枝",
    "auto_settings": "它是第一个具有所给设置（{settings}）的配方",
    "auto_needs_table": "配方 'auto' 取决于数据。这里请指定配方，如 'id3' 或 'c4.5'。",
    "auto_none": "没有适合这份数据和这些设置的配方。请指定一个：recipe='c4.5'（--recipe）。",
    "list_or": "{most}或 {last}",
    "one_leaf": "这棵树只有一个叶结点：{why}。",
    "one_leaf_more": "若要继续生长：{settings}。",
    "one_leaf_try": "若要继续生长，可试 {settings}。",
    "one_leaf_grows": "{typed}（{leaves}）",
    "one_leaf_pure": "所有样本的“{target}”都是 {answer}",
    "one_leaf_no_columns": "数据中没有可用于划分的属性",
    "one_leaf_constant": "每个属性都只有一种取值",
    "one_leaf_min_weight": "结点至少要有 {limit} 个样本才会划分（{setting}），而数据只有 {n} 行",
    "one_leaf_min_branch": "没有一种划分能使各分支有足够的样本（{setting}）",
    "one_leaf_max_depth": "{setting} 不允许任何划分",
    "one_leaf_max_leaves": "{setting} 不允许任何划分",
    "one_leaf_min_gain": "最优划分“{column}”的增益为 {gain}，太小（{setting}）",
    "one_leaf_complexity": "没有一种划分减少的错误足以抵偿新增的叶结点（{setting}）",
    "one_leaf_no_gain": "没有一种划分的增益大于零",
    "list_semicolon": "；",
    "one_leaf_screened": "没有属性符合 {recipe} 的规则（{reasons}）",
    "one_leaf_no_average": "没有属性通过 {recipe} 的平均增益筛选：取值很多的属性不计入平均增益，而其他属性都没有增益",
    "one_leaf_costly": "按 {recipe} 的规则，每个划分点的代价都大于增益",
    "one_leaf_pruned": "剪枝去掉了全部划分：剪成叶结点后估计错误数为 {as_leaf}，保留子树时为 {kept}",
    "one_leaf_validation": "没有一种划分能改善验证集上的结果",
    "one_leaf_other": "没有可接受的划分",
    # -- Python 接口 -----------------------------------------------------------------------------
    "table_size": "{rows} 行 × {columns} 个属性",
    "table_size_target": "{rows} 行 × {columns} 个属性，类别标记“{target}”",
    "needs_pandas": "to_pandas() 需要 pandas，尚未安装：pip install pandas。",
    "weight_values": "weight={value!r} 无效：应为列名，或每行一个数。",
    "weight_count": "{source} 有 {expected} 行，但给出了 {n} 个权重。",
    "weight_negative": "第 {row} 行的权重是 {value}。权重不能小于 0。",
    "weight_missing": "第 {row} 行缺少权重。请为每行给出不小于 0 的权重。",
    "weight_infinite": "第 {row} 行的权重是无穷大。权重必须是有限的数。",
    "nearest_setting": "{word} 是配方 sklearn 的设置。配方“{recipe}”中与之最接近的是 {near}。",
    "setting_twice": "{one} 与 {other} 是同一个设置，请只给出一个。",
    "bad_class_names": (
        "class_names={value!r} 无效：应为按类别升序排列的文本列表，或从类别到文本的字典。"
    ),
    "class_names_count": "class_names 有 {n} 个名称，但这棵树有 {expected} 个类别。",
    "class_names_unknown": "class_names 中的 {word!r} 不是类别。类别有：{known}。",
    "class_names_unknown_near": "class_names 中的 {word!r} 不是类别。是否应为 {near!r}？类别有：{known}。",
    "no_class_names": "不能使用 class_names：目标“{target}”是数值。",
    "comparison_was_dict": (
        "从 0.3.0 版起不能再用 compare(…)[{name!r}]，请改用 compare(…).{name}。"
    ),
}
