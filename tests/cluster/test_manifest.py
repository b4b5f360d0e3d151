"""The manifest for Kubernetes has the fields that KubeRay knows, and says the same as the pins and the code."""

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

yaml = pytest.importorskip("yaml", reason="THE MANIFEST IS NOT CHECKED: pip install 'spielwerk[ray]' brings PyYAML")
jsonschema = pytest.importorskip("jsonschema", reason="THE MANIFEST IS NOT CHECKED: it comes with spielwerk[ray]")

ROOT = Path(__file__).parents[2]
DOCUMENTS = list(yaml.safe_load_all((ROOT / "deploy/kuberay.yaml").read_text()))
CLUSTER, POLICY, CLAIM = DOCUMENTS

Schema = dict[str, Any]
TEXT: Schema = {"type": "string", "minLength": 1}
COUNT: Schema = {"type": "integer", "minimum": 0}
TEXTS: Schema = {"type": "object", "additionalProperties": {"type": "string"}}
NAME: Schema = {"type": "string", "pattern": "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$", "maxLength": 63}
QUANTITY: Schema = {"type": "string", "pattern": r"^\d+(m|Ki|Mi|Gi|Ti)?$"}


def record(required: str, **properties: Schema) -> Schema:
    """An object with these fields and no other, so that a misspelt one is found."""
    return {"type": "object", "properties": properties, "required": required.split(), "additionalProperties": False}


def many(items: Schema, least: int = 1) -> Schema:
    return {"type": "array", "items": items, "minItems": least}


METADATA = record("", name=NAME, labels=TEXTS)
QUANTITIES: Schema = {"type": "object", "additionalProperties": QUANTITY}
RESOURCES = record("requests limits", requests=QUANTITIES, limits=QUANTITIES)
CONTAINER = record(
    "name image resources securityContext",
    name=NAME,
    image={"type": "string", "pattern": r"^[\w./-]+:[\w.-]+$"},
    env=many(record("name value", name=TEXT, value=TEXT)),
    securityContext=record(
        "allowPrivilegeEscalation runAsNonRoot capabilities",
        allowPrivilegeEscalation={"const": False},
        runAsNonRoot={"const": True},
        capabilities=record("drop", drop={"const": ["ALL"]}),
    ),
    resources=RESOURCES,
    volumeMounts=many(record("name mountPath", name=NAME, mountPath=TEXT)),
)
POD = record(
    "metadata spec",
    metadata=METADATA,
    spec=record(
        "containers",
        automountServiceAccountToken={"type": "boolean"},
        terminationGracePeriodSeconds=COUNT,
        containers=many(CONTAINER),
        volumes=many(record("name", name=NAME, persistentVolumeClaim=record("claimName", claimName=NAME))),
    ),
)
RAY_CLUSTER = record(
    "apiVersion kind metadata spec",
    apiVersion={"const": "ray.io/v1"},
    kind={"const": "RayCluster"},
    metadata=METADATA,
    spec=record(
        "headGroupSpec workerGroupSpecs rayVersion",
        rayVersion={"type": "string", "pattern": r"^\d+\.\d+\.\d+$"},
        enableInTreeAutoscaling={"type": "boolean"},
        autoscalerOptions=record(
            "", idleTimeoutSeconds=COUNT, upscalingMode={"enum": ["Default", "Aggressive", "Conservative"]}
        ),
        headGroupSpec=record(
            "rayStartParams template",
            serviceType={"enum": ["ClusterIP", "NodePort", "LoadBalancer"]},
            rayStartParams=TEXTS,
            template=POD,
        ),
        workerGroupSpecs=many(
            record(
                "groupName minReplicas maxReplicas rayStartParams template",
                groupName=NAME,
                replicas=COUNT,
                minReplicas=COUNT,
                maxReplicas=COUNT,
                rayStartParams=TEXTS,
                template=POD,
            )
        ),
    ),
)

HEAD = CLUSTER["spec"]["headGroupSpec"]
GROUPS = CLUSTER["spec"]["workerGroupSpecs"]
PODS = [HEAD["template"], *(group["template"] for group in GROUPS)]


def test_it_has_the_fields_that_kuberay_knows() -> None:
    jsonschema.Draft202012Validator(RAY_CLUSTER).validate(CLUSTER)
    misspelt = CLUSTER | {"spec": CLUSTER["spec"] | {"workerGroupSpec": []}}
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft202012Validator(RAY_CLUSTER).validate(misspelt)


def test_versions_are_those_of_the_pins_and_of_the_package() -> None:
    [pinned] = re.findall(r"^ray==(.*)$", (ROOT / "constraints.txt").read_text(), re.M)
    assert CLUSTER["spec"]["rayVersion"] == pinned
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    images = {container["image"] for pod in PODS for container in pod["spec"]["containers"]}
    assert images == {f"spielwerk-cluster:{version}"}, "nodes with another release are refused"
    assert f"-t spielwerk-cluster:{version} " in (ROOT / "deploy/Containerfile.cluster").read_text()


def test_the_head_plays_no_games_and_workers_may_come_and_go() -> None:
    assert HEAD["rayStartParams"]["num-cpus"] == "0"
    assert len({group["groupName"] for group in GROUPS}) == len(GROUPS)
    for group in GROUPS:
        assert group["minReplicas"] <= group["replicas"] <= group["maxReplicas"]
    for pod in PODS:
        for container in pod["spec"]["containers"]:
            assert container["resources"]["requests"] == container["resources"]["limits"]


def test_only_the_cluster_reaches_the_cluster() -> None:
    assert (POLICY["apiVersion"], POLICY["kind"]) == ("networking.k8s.io/v1", "NetworkPolicy")
    selected = POLICY["spec"]["podSelector"]["matchLabels"]
    assert all(selected.items() <= pod["metadata"]["labels"].items() for pod in PODS)
    [rule] = POLICY["spec"]["ingress"]
    assert rule["from"] == [{"podSelector": {"matchLabels": selected}}]
    assert HEAD["serviceType"] == "ClusterIP"


def test_every_volume_is_claimed() -> None:
    claims = {volume["persistentVolumeClaim"]["claimName"] for volume in HEAD["template"]["spec"]["volumes"]}
    assert claims == {CLAIM["metadata"]["name"]} and CLAIM["kind"] == "PersistentVolumeClaim"
    mounted = {mount["name"] for mount in HEAD["template"]["spec"]["containers"][0]["volumeMounts"]}
    assert mounted == {volume["name"] for volume in HEAD["template"]["spec"]["volumes"]}


def test_the_image_is_built_from_files_with_hashes() -> None:
    text = (ROOT / "deploy/Containerfile.cluster").read_text()
    container = re.sub(r"^#.*$", "", text, flags=re.M).replace("\\\n", " ")
    for install in re.findall(r"pip (?:install|wheel) [^&\n]*", container):
        ours = "--no-deps" in install and ("--no-index" in install or "--no-build-isolation" in install)
        assert ours or "--require-hashes" in install
