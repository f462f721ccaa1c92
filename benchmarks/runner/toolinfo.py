"""Tool-info module of orbitmc for BenchExec (https://github.com/sosy-lab/benchexec).

`orbitmc bench export` writes this file, task definitions and a benchmark definition. The options of
a run definition are a command of orbitmc and its options. A task definition may give the
constants of its model: options: {constants: {N: 4}}.
"""

import json

import benchexec.result as result
import benchexec.tools.template


class Tool(benchexec.tools.template.BaseTool2):
    def executable(self, tool_locator):
        return tool_locator.find_executable("orbitmc")

    def name(self):
        return "orbitmc"

    def version(self, executable):
        return self._version_from_tool(executable, line_prefix="orbitmc ")

    def cmdline(self, executable, options, task, rlimits):
        options = list(options) or ["check"]
        constants = (task.options or {}).get("constants", {})
        for i, (name, value) in enumerate(constants.items()):
            if options[0] == "sweep" and i == 0:
                value = f"{value}..{value}"
            options += ["-D", f"{name}={value}"]
        return [executable, *options, "--json", "--progress", "never", "--", task.single_input_file]

    def determine_result(self, run):
        """The verdict of the JSON object and the exit status must say the same."""
        if run.exit_code.signal:
            return result.RESULT_ERROR
        text = "".join(line + "\n" for line in run.output)
        try:
            answer, _ = json.JSONDecoder().raw_decode(text, text.index("{\n"))
        except ValueError:
            return result.RESULT_ERROR
        runs = answer.get("runs") or []
        verdict = answer.get("verdict") or (runs[-1]["verdict"] if runs else None)
        status = run.exit_code.value
        if verdict == "safe" and status == 0:
            return result.RESULT_TRUE_PROP
        if verdict == "unsafe" and status == 10:
            return result.RESULT_FALSE_PROP
        if verdict == "unknown" and status in (0, 2):
            return result.RESULT_UNKNOWN
        return result.RESULT_ERROR

    def get_value_from_output(self, output, identifier):
        """A counter of the statistics, such as states or conflicts."""
        text = "".join(line + "\n" for line in output)
        try:
            answer, _ = json.JSONDecoder().raw_decode(text, text.index("{\n"))
        except ValueError:
            return None
        runs = answer.get("runs") or [{}]
        return (answer.get("stats") or runs[-1].get("stats") or {}).get(identifier)
