"""The Chinese sentences; terms as in the watermelon book."""

WORDS: dict[str, str] = {
    # tree, in counts
    "leaves": "{n} 个叶结点",
    "rows": "{n} 行",
    "depth": "深度 {n}",
    "root": "根结点",
    "training_share": "训练 {right}/{of}",
    # pictures
    "picture_folded": "{n} 个叶结点折叠在 {folded} 个虚线框中",
    "folded_leaves": "+ {n} 个叶结点, n={weight}",
    "measure_gain": "增益",
    "measure_gain_ratio": "增益率",
    "measure_gini": "基尼增益",
    "measure_variance": "方差增益",
    "icicle_reading": "宽度 = 行数，颜色深浅 = 纯度",
    "icicle_hidden": "{n} 个结点太细，看不见",
    "rule_support": "行数",
    "rule_confidence": "正确",
    "rule_when": "条件",
    "rule_and": " 且 ",
    "rule_always": "总是",
    # recipes
    "bad_whole_number": "{name}={value!r} 不能用：应为不小于 {least} 的整数，或 None。",
    "bad_number": "{name}={value!r} 不能用：应为不小于 0 的数。",
    "bad_criterion": (
        "criterion={value!r} 不能用。请给出准则的名称，或一个函数：沿最后一维接收类别计数，返回混杂程度。"
    ),
    "missing_refused": (
        "列“{column}”有 {n} 个缺失值，而配方 {recipe} 不接受缺失值。\n"
        "可改用配方 c4.5-textbook，或 missing='fraction'，或去掉这一列。"
    ),
    "variance_needs_number": (
        "准则 variance 要求预测数值，而“{target}”是类别。请用 gain、gain_ratio 或 gini。"
    ),
    "measure_needs_classes": "“{target}”是数值，不能用类别计数的函数来衡量。请用 criterion='variance'。",
    "needs_validation": (
        "“{method}”剪枝需要验证数据。请用 validation= 给出文件、表格，或 0.3 这样的比例。"
    ),
    "validation_without_target": "验证数据没有列“{target}”，无法据此判断。",
    "no_target_in_table": "表格没有目标列，无从学习。请用 target='列名' 重新读取。",
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
    "cannot_read": "无法读取 {path}：{reason}。",
    "cannot_write": "无法写入 {path}：{reason}。",
    "output_is_folder": "{path} 是文件夹。请给出文件名。",
    "model_too_large": "{path} 有 {size} 字节，超过模型上限 {limit} 字节。",
    "model_truncated": "{path} 在中间断开：模型不完整。请重新保存，或取得完整的文件。",
    "model_not_json": "{path} 不是模型文件：它不是 penjing 写出的 JSON。",
    "model_newer": "{path} 的格式号是 {found}，本版 penjing 只能读到 {known}。请安装新版 penjing。",
    "model_broken": "{path} 不是有效的模型：{at} 应为 {expected}。",
    "dict_not_a_tree": "{found} 不是树。树是一个类别，或只含一列的字典，其值是以取值为键的字典。",
    "dict_bad_level": "列“{column}”：{level!r} 不是取值。取值是文字或有限的数，或由它们组成的元组。",
    "dict_level_twice": "列“{column}”：取值 {level!r} 在同一结点有两个分支。",
    "dict_mixed_column": "同一棵树里，列“{column}”既按数值切分，又按取值划分。",
    # data
    "no_rows": "{source} 只有表头，没有数据行。生成决策树至少需要一行数据。",
    # choices
    "unknown_column": "表中没有列“{word}”。现有的列：{known}。",
    "unknown_column_near": "表中没有列“{word}”。现有的列：{known}。\n是不是“{near}”？",
    "unknown_plug": "{socket} 没有“{word}”。可选：{known}。",
    "unknown_plug_near": "{socket} 没有“{word}”。可选：{known}。最接近的是 {near}。",
    "unknown_setting": "“{word}”不是配方的设置。可用的设置：{known}。",
    "unknown_setting_near": "“{word}”不是配方的设置。可用的设置：{known}。\n是不是“{near}”？",
    "bad_setting": "{name}={value!r} 不能用：{expected}。",
    # 读取：数据源的问题
    "empty_file": "{source} 是空文件。数据表需要一行表头和至少一行数据。",
    "no_such_file": "{source} 不存在。请检查路径；从标准输入读取请写“-”。",
    "no_such_file_near": "{source} 不存在。是不是“{near}”？",
    "is_a_directory": "{source} 是文件夹。请给出其中的一个文件。",
    "no_permission": "没有读取 {source} 的权限。请取得权限，或复制一份。",
    "unreadable_file": "{source} 无法读取：{reason}。",
    "binary_file": (
        "{source} 不是文本。请给出 CSV、TSV、ARFF、JSON、Parquet 或 C4.5 的 .names 文件；"
        "工作簿请先另存为 CSV。"
    ),
    "not_decodable": (
        '{source} 第 {line} 行：字节不符合 {encoding} 编码。请指明编码，如 encoding="gbk"，'
        "或把文件另存为 UTF-8。"
    ),
    "unknown_encoding": (
        "没有编码“{encoding}”。常用的有：utf-8、gb18030、big5、cp1252、utf-16。"
    ),
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
    "not_a_date": (
        "{source} 第 {row} 行：“{column}”应当是日期，如 2024-03-01，却是“{value}”。"
    ),
    "foreign_level": "{source} 第 {row} 行：“{value}”不是“{column}”的取值。取值有：{known}。",
    "foreign_level_near": (
        "{source} 第 {row} 行：“{value}”不是“{column}”的取值。取值有：{known}。\n"
        "是不是“{near}”？"
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
    "too_many_classes": (
        "{source}：目标“{column}”有 {n} 个类别，多数只出现在一行里。"
        "它像是行的名称，请另选目标。"
    ),
    "no_labelled_rows": "{source}：没有一行既有目标值又有大于 0 的权重。",
    # 读取：选择
    "unknown_kind": "列“{column}”的类型没有“{word}”。可选：{known}。",
    "unknown_kind_near": "列“{column}”的类型没有“{word}”。可选：{known}。\n是不是“{near}”？",
    "bad_schema": (
        '“{column}”的说明 {value!r} 看不懂。请给出类型、取值的列表，或 {{"ordered": [取值]}}。'
    ),
    "bad_levels": "“{column}”的说明 {value!r} 应当每个取值列一次，至少一个。",
    "bad_missing": ('missing={value!r} 看不懂。请给出要增加的词的列表，或 {{"only": [词]}}。'),
    # 读取：说明
    "note_encoding": "{source} 按 {encoding} 读取：它不是有效的 UTF-8。",
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
    "note_dates_made": "“{column}”变成了 {made}。",
    "note_trimmed": "去掉了“{column}”取值两端的空白。",
    "note_taken_as_missing": (
        "“{column}”中的“{value}”视为缺失（{n} 行）。若它是取值，请在 schema 中列出该列的取值。"
    ),
    "note_taken_as_value": (
        "“{column}”中的“{value}”视为取值。若它表示缺失：missing=[{value!r}]。"
    ),
    "note_disguised": "“{column}”按数读取：“{value}”即 {number}。",
    "note_odd_number": (
        "“{column}”除个别单元格外都是数，第一个在第 {row} 行：“{value}”。"
        "该列按类别处理；若它表示缺失：missing=[{value!r}]。"
    ),
    "note_many_levels": "“{column}”有 {n} 个取值，相对行数太多，决策树可能死记硬背。",
    "note_many_classes": "目标“{column}”有 {n} 个类别，相对行数太多。",
    "note_target_last": "以最后一列“{column}”为目标。",
    "note_target_missing": "丢弃了 {n} 行没有“{column}”值的数据。",
    "note_zero_weight": "丢弃了 {n} 行权重为 0 的数据。",
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
    "unknown_option": "“{word}”不是“{method}”剪枝的选项。可用的选项：{known}。",
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
    "report_nothing": "没有数据行可以报告",
    "report_predicted": "预测",
    "report_actual": "实际",
    "report_wrong": "错误：{rows}",
    "report_wrong_row": "第 {row} 行 {actual}→{predicted}",
    "report_wrong_more": "{rows}，还有 {n} 行",
    "report_unlabelled": "略去了 {n} 行没有“{target}”值的数据。",
    "report_number": "均方根误差 {rmse}，平均绝对误差 {mae}，R² {r2}   （{n} 行）",
}
