"""What is wrong with a chart, its values, or the place that it comes from: patterns as in ``causes.py``."""

from sluiceway.adapters.helm.said import INCLUDES
from sluiceway.adapters.kubernetes.patterns import Pattern

IN_THE_LOG = "Helm's own words are in the job log."

OF_THE_CHART = (
    Pattern(
        None,
        r"execution error at \(<at>\): ",
        "{template} ends the render by itself (`fail` or `required`)",
        "A value that it wants is missing or wrong. What it says stands in the job log.",
    ),
    Pattern(
        None, r"parse error at \(<at>\): ", "{template} is no Go template", f"Mend it. {IN_THE_LOG}"
    ),
    Pattern(
        None,
        rf"{INCLUDES}(?:template: )?<at>(?:: |\n  )executing ",
        "{template} can't be rendered",
        f"Often a value that it reads is not there. {IN_THE_LOG}",
    ),
    Pattern(
        None,
        r"YAML parse error on (?:(?P<file><a file>)|[^\n]{1,400}?): ",
        "{template} renders something that is no YAML of an object",
        f"Mend the template or its values. {IN_THE_LOG}",
    ),
    Pattern(
        None,
        r"cannot load (?P<file>Chart\.yaml|Chart\.lock|values\.yaml|requirements\.(?:yaml|lock)): ",
        "the chart's {file} can't be read",
        f"Mend it. {IN_THE_LOG}",
    ),
    Pattern(
        None,
        r"failed to parse (?P<file><a file>): (?:<unread>)",
        "the values file {file} can't be read",
        f"Mend it. {IN_THE_LOG}",
    ),
    Pattern(
        None,
        r"open (?P<file><a file>): no such file or directory",
        "the file {file} is not there",
        "Check the chart and options.valuesFiles.",
    ),
    Pattern(
        None,
        r"values don't meet the specifications of the schema\(s\) in the following chart\(s\):\n(?P<chart><name>):\n",
        "the values are not as the schema of the chart {chart} wants them",
        "Which ones, and what is wrong, stands in the job log.",
    ),
    Pattern(
        None,
        r"[Aa]n error occurred while checking for chart dependencies\. You may need to run .helm dependency build. to "
        r"fetch missing dependencies: found in Chart\.yaml, but missing in charts/ directory: "
        r"(?P<charts><name>(?:, <name>){0,20})\s*$",
        "the chart lists charts that are not in its charts directory ({charts})",
        "`helm dependency build` fetches them: run it, or put them there.",
    ),
    Pattern(
        None,
        r"type mismatch on (?P<chart><name>): ",
        "the values of the subchart {chart} are no map",
        "Mend the values: what stands below a subchart's name are its own.",
    ),
    Pattern(
        None,
        r"validation: chart\.metadata\.(?P<field>[A-Za-z.]{1,60})\b",
        "the {field} in Chart.yaml is missing or not right",
        f"Mend it. {IN_THE_LOG}",
    ),
    Pattern(
        None,
        r"Chart\.yaml file is missing|unable to detect chart at |path <quoted> not found",
        "the chart is not there: it has no Chart.yaml",
        "Check options.chart.",
    ),
    Pattern(
        None,
        r"unsupported chart version",
        "the chart's apiVersion is not one that helm knows",
        "Write apiVersion: v2.",
    ),
    Pattern(
        None,
        r"library charts are not installable",
        "the chart is a library, which makes no release",
        "Name a chart that uses it.",
    ),
    Pattern(
        None,
        r"chart requires kubeVersion: [^\n]{1,200} which is incompatible with Kubernetes "
        r"(?P<found>v\d[0-9A-Za-z.+-]{0,60})",
        "the chart does not take Kubernetes {found} (kubeVersion in Chart.yaml)",
        "Take another version of the chart, or of the cluster.",
    ),
)  # fmt: skip

OF_THE_REFERENCE = (
    Pattern(
        None,
        r"repo (?P<repository><name>) not found",
        "helm knows no chart repository {repository}",
        "`helm repo add` it in the job, before sluiceway.",
    ),
    Pattern(
        None,
        r"no cached repo found\.",
        "helm has no index of the chart repository",
        "Run `helm repo update` in the job, before sluiceway.",
    ),
    Pattern(
        None,
        r'chart "<a chart>" matching <a version> not found in (?P<repository><name>) index\.',
        "the chart repository {repository} has no {chart} {version}, as far as helm's copy of its index tells",
        "Check options.chart and options.version, and run `helm repo update` in the job, before sluiceway.",
    ),
    Pattern(
        None,
        r"(?:failed to resolve [^\s:]{1,300}(?::\d+)?(?:/[^\s:]{1,300})?:[^\s:]{1,128}: |"
        r'failed to perform "[A-Za-z]{1,40}" on source: )'
        r"<a chart>:<a version>: not found",
        "there is no {chart} {version}",
        "Check options.chart and options.version.",
    ),
    Pattern(
        None,
        r"(?:failed to resolve [^\s@]{1,400}@sha256:[0-9a-f]{64}: |failed to perform \"[A-Za-z]{1,40}\" on source: )"
        r"<a chart>@sha256:[0-9a-f]{64}: not found",
        "there is no {chart} with that digest",
        "Check options.chart.",
    ),
    Pattern(
        None,
        r"chart reference digest mismatch: ",
        "the version has another digest in the registry than options.chart names",
        "Check options.chart and options.version: one of them is older, or the version was published anew.",
    ),
    Pattern(
        None,
        r"<pulls>(?:GET|HEAD) <url>: (?:basic credential not found|response status code 40[13]: |[^\n]{0,200}unauthor)",
        "the registry does not hand out {reference} without a login that may",
        "`helm registry login` in the job, before sluiceway.",
    ),
    Pattern(
        None,
        r"<pulls>(?:GET|HEAD) <url>: response status code (?P<status>\d{3}): ",
        "the registry answers {status} for {reference}",
        f"Try again. {IN_THE_LOG}",
    ),
    Pattern(
        None,
        r"<pulls>(?:Get|Head) <url>: ",
        "the registry of {reference} can't be reached",
        "Check options.chart and the network of the job.",
    ),
    Pattern(
        None,
        r"failed to fetch https?://[^\s]{1,600} : 40[13] ",
        "the chart repository does not hand out the chart without a login that may",
        "`helm repo add` it with its credentials in the job, before sluiceway.",
    ),
    Pattern(
        None,
        r"failed to fetch https?://[^\s]{1,600} : (?P<status>\d{3}) ",
        "the chart repository answers {status} for the chart",
        f"Check options.chart and options.version. {IN_THE_LOG}",
    ),
    Pattern(
        None,
        r'(?:<pulls>|looks like "[^"\n]{1,400}" is not a valid chart repository or cannot be reached: )?(?:Get|Head) ',
        "the chart's repository or registry can't be reached",
        "Check options.chart and the network of the job.",
    ),
)  # fmt: skip
