"""The AWS fake is as strict as the provider: tokens, states, errors, signatures, volumes, lag."""

import base64
import time
import urllib.parse

import botocore.auth
import botocore.awsrequest
import botocore.credentials
import botocore.exceptions
import pytest
import rest

DEBIAN = "136693071363"


@pytest.fixture
def ec2(fake_aws):
    """boto3's client."""
    return rest.aws(fake_aws)


def image_of(ec2, name="debian-12-amd64-20260601-1"):
    """The id of an image."""
    return ec2.describe_images(Owners=[DEBIAN], Filters=[{"Name": "name", "Values": [name]}])["Images"][0]["ImageId"]


def run(ec2, token=None, **more):
    """Create one machine; returns its row."""
    options = {"ImageId": image_of(ec2), "InstanceType": "t2.small", "MinCount": 1, "MaxCount": 1, **more}
    if token:
        options["ClientToken"] = token
    return ec2.run_instances(**options)["Instances"][0]


def refused(function, *arguments, **options):
    """(code, HTTP status) of the refusal."""
    with pytest.raises(botocore.exceptions.ClientError) as caught:
        function(*arguments, **options)
    return caught.value.response["Error"]["Code"], caught.value.response["ResponseMetadata"]["HTTPStatusCode"]


def zone(letter):
    """The placement in a zone."""
    return {"Placement": {"AvailabilityZone": f"eu-west-1{letter}"}}


def test_a_token_gives_one_machine_in_its_zone(ec2, fake_aws):
    first = run(ec2, "one", **zone("a"))
    assert run(ec2, "one", **zone("a"))["InstanceId"] == first["InstanceId"]
    assert len(fake_aws.alive()) == 1
    # The trap of section 5: the same token in another zone makes a second machine, and the fake counts it.
    assert run(ec2, "one", **zone("b"))["InstanceId"] != first["InstanceId"]
    assert [each["token"] for each in fake_aws.state()["duplicates"]] == ["one"]
    fake_aws.duplicates_expected = True


def test_a_token_is_regional_without_a_zone(ec2, fake_aws):
    first = run(ec2, "one")
    assert run(ec2, "one")["InstanceId"] == first["InstanceId"]
    other = rest.aws(fake_aws, region="us-east-1")
    assert run(other, "one")["InstanceId"] != first["InstanceId"]
    fake_aws.duplicates_expected = True


def test_other_parameters_with_a_token_are_refused(ec2, fake_aws):
    run(ec2, "one")
    assert refused(run, ec2, "one", KeyName="mwas") == ("IdempotentParameterMismatch", 400)
    fake_aws.faults(capacity={"t2.small": 1})
    assert refused(run, ec2, "two") == ("InsufficientInstanceCapacity", 500)
    # The parameters of a refused request are remembered as well.
    assert refused(run, ec2, "two", InstanceType="t3.small") == ("IdempotentParameterMismatch", 400)
    fake_aws.faults(capacity={})
    run(ec2, "two")


def test_the_token_of_an_ended_machine_is_refused(ec2):
    id = run(ec2, "one")["InstanceId"]
    ec2.terminate_instances(InstanceIds=[id])
    assert refused(run, ec2, "one") == ("IdempotentInstanceTerminated", 400)


def test_a_dry_run_makes_nothing(ec2, fake_aws):
    assert refused(run, ec2, "one", DryRun=True) == ("DryRunOperation", 412)
    assert refused(run, ec2, DryRun=True, KeyName="nobody") == ("InvalidKeyPair.NotFound", 400)
    assert not fake_aws.state()["machines"]


@pytest.mark.parametrize("change, code", [
    ({"ImageId": "ami-12345678"}, "InvalidAMIID.NotFound"), ({"ImageId": "debian"}, "InvalidAMIID.Malformed"),
    ({"InstanceType": "t9.huge"}, "InvalidParameterValue"), ({"InstanceType": "m6g.large"}, "InvalidParameterValue"),
    ({"KeyName": "nobody"}, "InvalidKeyPair.NotFound"), ({"SubnetId": "subnet-12345678"}, "InvalidSubnetID.NotFound"),
    ({"SecurityGroupIds": ["sg-12345678"]}, "InvalidGroup.NotFound"), ({"SecurityGroupIds": ["web"]}, "InvalidGroupId.Malformed"),
    ({"InstanceType": "m5.large", "Placement": {"AvailabilityZone": "eu-west-1c"}}, "Unsupported"),
    ({"Placement": {"AvailabilityZone": "eu-west-1q"}}, "InvalidParameterValue"),
    ({"Placement": {"GroupName": "none"}}, "InvalidPlacementGroup.Unknown"),
    ({"IamInstanceProfile": {"Name": "none"}}, "InvalidParameterValue"), ({"UserData": "x" * 16385}, "InvalidParameterValue"),
    ({"SubnetId": "subnet-12345678", "NetworkInterfaces": [{"DeviceIndex": 0}]}, "InvalidParameterCombination"),
    ({"TagSpecifications": [{"ResourceType": "instance", "Tags": [{"Key": "aws:x", "Value": ""}]}]}, "InvalidParameterValue"),
    ({"TagSpecifications": [{"ResourceType": "instance", "Tags": [{"Key": f"k{i}", "Value": ""} for i in range(51)]}]}, "TagLimitExceeded"),
    ({"BlockDeviceMappings": [{"DeviceName": "/dev/xvda", "Ebs": {"VolumeSize": 4}}]}, "InvalidBlockDeviceMapping"),
])
def test_run_instances_refuses(ec2, fake_aws, change, code):
    assert refused(run, ec2, **change)[0] == code
    assert not fake_aws.state()["machines"]


def test_groups_of_another_network_are_refused(ec2):
    groups = {(group["GroupName"], group["VpcId"]): group["GroupId"] for group in ec2.describe_security_groups()["SecurityGroups"]}
    other = next(id for (name, _), id in groups.items() if name == "other")
    assert refused(run, ec2, SecurityGroupIds=[other])[0] == "InvalidParameter"


@pytest.mark.parametrize("reason, code", [
    ("spot", "Server.SpotInstanceTermination"), ("host", "Server.InternalError"), ("user", "Client.UserInitiatedShutdown"),
    ("capacity", "Server.InsufficientInstanceCapacity"), ("quota", "Client.VolumeLimitExceeded")])
def test_an_ended_machine_stays_listed_with_its_reason(ec2, fake_aws, reason, code):
    id = run(ec2)["InstanceId"]
    fake_aws.end(id, reason)
    fake_aws.wait(lambda state: state["machines"][0]["state"] == "terminated")
    row = ec2.describe_instances(InstanceIds=[id])["Reservations"][0]["Instances"][0]
    assert (row["State"]["Name"], row["StateReason"]["Code"]) == ("terminated", code)
    assert "SubnetId" not in row and not fake_aws.state()["disks"] and not fake_aws.state()["ports"]


def test_a_machine_that_fails_later_is_noted(ec2, fake_aws):
    fake_aws.faults(fail_later=1, boot_ms=1, end_ms=1)
    id = run(ec2)["InstanceId"]
    state = fake_aws.wait(lambda state: state["machines"][0]["state"] == "terminated")
    assert [(failed["id"], failed["reason"]) for failed in state["failed"]] == [(id, "Server.InsufficientInstanceCapacity")]


def test_an_ended_machine_is_forgotten_after_a_while(ec2, fake_aws):
    fake_aws.faults(ended_ms=50, end_ms=1)
    id = run(ec2)["InstanceId"]
    ec2.terminate_instances(InstanceIds=[id])
    fake_aws.wait(lambda state: not state["machines"])
    assert refused(ec2.describe_instances, InstanceIds=[id])[0] == "InvalidInstanceID.NotFound"


def test_stop_start_reboot_console(ec2, fake_aws):
    id = run(ec2, InstanceType="m5.large", **zone("a"))["InstanceId"]
    fake_aws.wait(lambda state: state["machines"][0]["state"] == "running")
    ec2.reboot_instances(InstanceIds=[id])
    assert fake_aws.state()["machines"][0]["reboots"] == 1
    fake_aws.end(id, "stop")
    fake_aws.wait(lambda state: state["machines"][0]["state"] == "stopped")
    assert refused(ec2.reboot_instances, InstanceIds=[id])[0] == "IncorrectInstanceState"
    ec2.start_instances(InstanceIds=[id])
    fake_aws.wait(lambda state: state["machines"][0]["state"] == "running")
    fake_aws.set_machine(id, console="reeve-hostkey t ssh-ed25519 AAAA\n")
    assert ec2.get_console_output(InstanceId=id, Latest=True)["Output"] == "reeve-hostkey t ssh-ed25519 AAAA\n"


def test_the_latest_console_needs_a_newer_type(ec2):
    assert refused(ec2.get_console_output, InstanceId=run(ec2)["InstanceId"], Latest=True)[0] == "UnsupportedOperation"


def test_one_wrong_id_fails_the_whole_call(ec2, fake_aws):
    id = run(ec2)["InstanceId"]
    for call in (ec2.terminate_instances, ec2.describe_instances):
        assert refused(call, InstanceIds=[id, "i-12345678"])[0] == "InvalidInstanceID.NotFound"
    assert refused(ec2.describe_instances, InstanceIds=["12345678"])[0] == "InvalidInstanceID.Malformed"
    assert refused(ec2.describe_instances, InstanceIds=[id], MaxResults=5)[0] == "InvalidParameterCombination"
    assert len(fake_aws.alive()) == 1


def test_pages_and_their_tokens(ec2, fake_aws):
    ids = {run(ec2)["InstanceId"] for _ in range(7)}
    fake_aws.faults(page_size=3)
    pages = list(ec2.get_paginator("describe_instances").paginate())
    assert [len(page["Reservations"]) for page in pages] == [3, 3, 1]
    assert {row["Instances"][0]["InstanceId"] for page in pages for row in page["Reservations"]} == ids
    first = ec2.describe_instances()
    assert refused(ec2.describe_instances, NextToken=first["NextToken"], Filters=[{"Name": "instance-type", "Values": ["x"]}])[0] == "InvalidNextToken"
    fake_aws.faults(expire_page_tokens=1)
    assert refused(ec2.describe_instances, NextToken=first["NextToken"])[0] == "InvalidNextToken"
    assert refused(ec2.describe_instances, MaxResults=2)[0] == "InvalidParameterValue"


def test_filters(ec2):
    tags = [{"ResourceType": "instance", "Tags": [{"Key": "reeve.cluster_id", "Value": "t/c*"}]}]
    id = run(ec2, "one", TagSpecifications=tags)["InstanceId"]
    run(ec2)

    def found(name, *values):
        rows = ec2.describe_instances(Filters=[{"Name": name, "Values": list(values)}])["Reservations"]
        return [row["Instances"][0]["InstanceId"] for row in rows]
    assert found("tag:reeve.cluster_id", "t/c*") == found("client-token", "one") == found("tag-key", "reeve.cluster_id") == [id]
    assert found("tag:reeve.cluster_id", "x") == []
    assert len(found("instance-state-name", "pending", "running")) == 2
    assert refused(found, "colour", "red")[0] == "InvalidParameterValue"


def test_a_listing_lags_by_replicas_that_disagree(ec2, fake_aws):
    fake_aws.faults(lag_ms=60000)
    id = run(ec2, "one")["InstanceId"]
    assert run(ec2, "one")["InstanceId"] == id
    assert refused(ec2.terminate_instances, InstanceIds=[id])[0] == "InvalidInstanceID.NotFound"
    assert not ec2.describe_instances()["Reservations"]
    fake_aws.faults(lag_by_id=False)
    assert ec2.describe_instances(InstanceIds=[id])["Reservations"]
    fake_aws.faults(lag_by_id=None, lag_ms=1500)
    # One that was shown and hidden again before it was shown for good. The replicas may agree by chance: then another machine.
    for token in (f"two-{number}" for number in range(12)):
        run(ec2, token)
        counts, end = [], time.monotonic() + 30
        while counts[-20:] != [1] * 20 and time.monotonic() < end:
            counts.append(len(ec2.describe_instances(Filters=[{"Name": "client-token", "Values": [token]}])["Reservations"]))
        assert counts[-1] == 1, counts
        if (1, 0) in zip(counts, counts[1:]):
            return
    raise AssertionError("no machine was shown and hidden again")


def test_volumes(ec2, fake_aws):
    fake_aws.faults(operation_ms=1)
    id = run(ec2, **zone("a"))["InstanceId"]
    fake_aws.wait(lambda state: state["machines"][0]["state"] == "running")
    made = {"AvailabilityZone": "eu-west-1a", "Size": 10, "VolumeType": "io1", "Iops": 100, "ClientToken": "v"}
    volume = ec2.create_volume(**made)["VolumeId"]
    assert ec2.create_volume(**made)["VolumeId"] == volume
    assert refused(ec2.create_volume, **{**made, "Size": 11})[0] == "IdempotentParameterMismatch"
    assert refused(ec2.create_volume, AvailabilityZone="eu-west-1a", Size=10, VolumeType="io1")[0] == "MissingParameter"
    other = ec2.create_volume(AvailabilityZone="eu-west-1b", Size=10)["VolumeId"]
    fake_aws.wait(lambda state: all(disk["state"] != "creating" for disk in state["disks"]))
    assert refused(ec2.attach_volume, InstanceId=id, VolumeId=other, Device="/dev/sdf")[0] == "InvalidVolume.ZoneMismatch"
    assert refused(ec2.attach_volume, InstanceId=id, VolumeId=volume, Device="/dev/xvda")[0] == "InvalidParameterValue"
    ec2.attach_volume(InstanceId=id, VolumeId=volume, Device="/dev/sdf")
    assert refused(ec2.attach_volume, InstanceId=id, VolumeId=volume, Device="/dev/sdg")[0] == "VolumeInUse"
    assert refused(ec2.delete_volume, VolumeId=volume)[0] == "VolumeInUse"
    ec2.create_tags(Resources=[volume], Tags=[{"Key": "reeve.kept", "Value": "1"}])
    ec2.terminate_instances(InstanceIds=[id])
    fake_aws.wait(lambda state: state["machines"][0]["state"] == "terminated")
    left = {row["VolumeId"]: row["State"] for row in ec2.describe_volumes()["Volumes"]}
    assert left == {volume: "available", other: "available"}
    found = ec2.describe_volumes(Filters=[{"Name": "tag:reeve.kept", "Values": ["*"]}])["Volumes"]
    assert [row["VolumeId"] for row in found] == [volume]
    ec2.delete_volume(VolumeId=volume)
    assert refused(ec2.delete_volume, VolumeId=volume)[0] == "InvalidVolume.NotFound"


def test_groups_and_profile_are_changed_in_place(ec2, fake_aws):
    network = ec2.describe_vpcs(Filters=[{"Name": "is-default", "Values": ["true"]}])["Vpcs"][0]["VpcId"]
    groups = {group["GroupName"]: group["GroupId"] for group in ec2.describe_security_groups(
        Filters=[{"Name": "vpc-id", "Values": [network]}])["SecurityGroups"]}
    row, wanted = run(ec2, SecurityGroupIds=[groups["default"]]), groups["web"]
    ec2.modify_instance_attribute(InstanceId=row["InstanceId"], Groups=[wanted])
    assert fake_aws.state()["machines"][0]["groups"] == [wanted]
    fake_aws.faults(profile_visible_ms=60000)
    profile = {"IamInstanceProfile": {"Name": "reeve-node"}, "InstanceId": row["InstanceId"]}
    assert refused(ec2.associate_iam_instance_profile, **profile)[0] == "InvalidParameterValue"
    fake_aws.faults(profile_visible_ms=0)
    ec2.associate_iam_instance_profile(**profile)
    made = ec2.describe_iam_instance_profile_associations()["IamInstanceProfileAssociations"]
    assert [each["InstanceId"] for each in made] == [row["InstanceId"]]


# -- requests and signatures


class Signed:
    """Requests that are signed by botocore, then changed by the test."""

    def __init__(self, fake):
        self.fake, self.client = fake, rest.Rest(fake.port)

    def __call__(self, body="Action=DescribeRegions&Version=2016-11-15", method="POST", secret="secrettest", key="AKIDTEST", change=None, **headers):
        url = self.fake.endpoint + "/" + ("?" + body if method == "GET" else "")
        data = body if method == "POST" else ""
        content = {"Content-Type": "application/x-www-form-urlencoded; charset=utf-8"} if method == "POST" else {}
        request = botocore.awsrequest.AWSRequest(method, url, data=data, headers={**content, **headers})
        botocore.auth.SigV4Auth(botocore.credentials.Credentials(key, secret), "ec2", "eu-west-1").add_auth(request)
        sent = dict(request.headers)
        if change:
            change(sent)
        return self.client(method, request.url[len(self.fake.endpoint):], data.encode() if data else None, **sent)


def code_of(answer):
    """The code in an error of EC2."""
    text = answer[1].decode()
    return text.partition("<Code>")[2].partition("</Code>")[0]


def test_get_and_post_are_accepted(fake_aws):
    ask = Signed(fake_aws)
    assert ask()[0] == ask(method="GET")[0] == 200


def test_a_wrong_signature_is_refused(fake_aws):
    ask = Signed(fake_aws)
    assert code_of(ask(secret="wrong")) == "SignatureDoesNotMatch"
    assert code_of(ask(key="AKIDOTHER")) == "AuthFailure"
    assert code_of(ask(change=lambda headers: headers.pop("Authorization"))) == "MissingAuthenticationToken"
    # What came after signing, or is not signed at all.
    assert code_of(ask(change=lambda headers: headers.update({"X-Amz-Extra": "1"}))) == "SignatureDoesNotMatch"


def test_a_clock_that_is_off_is_refused_once(fake_aws):
    fake_aws.faults(clock_skew_s=3600)
    ask = Signed(fake_aws)
    assert code_of(ask()) == "RequestExpired"
    at = time.mktime(time.strptime(ask.client.headers["date"], "%a, %d %b %Y %H:%M:%S %Z")) - time.timezone
    assert abs(at - time.time() - 3600) < 60
    assert refused(rest.aws(fake_aws, "sts").get_caller_identity)[0] == "SignatureDoesNotMatch"
    assert refused(rest.aws(fake_aws, "ssm").get_parameter, Name="/x")[0] == "InvalidSignatureException"


@pytest.mark.parametrize("body, code", [
    ("Action=DescribeInstances&Version=2016-11-15&Colour=red", "UnknownParameter"),
    ("Action=DescribeInstances&Version=2016-11-15&InstanceId.0=i-12345678", "UnknownParameter"),
    ("Action=RunInstances&Version=2016-11-15&MinCount=1&MaxCount=1&TagSpecifications.1.ResourceType=instance", "UnknownParameter"),
    ("Action=RunInstances&Version=2016-11-15&MinCount=one&MaxCount=1", "InvalidParameterValue"),
    ("Action=RunInstances&Version=2016-11-15&MaxCount=1", "MissingParameter"), ("Action=Nothing&Version=2016-11-15", "InvalidAction"),
    ("Action=DescribeInstances&Version=2011-01-01", "NoSuchVersion")])
def test_what_the_model_does_not_know_is_refused_and_counted(fake_aws, body, code):
    assert code_of(Signed(fake_aws)(body)) == code
    assert len(fake_aws.state()["unknown"]) == 1
    with pytest.raises(AssertionError):
        fake_aws.check()
    fake_aws.unknown_expected = True


def test_an_assumed_role_expires(fake_aws):
    sts = rest.aws(fake_aws, "sts")
    role = {"RoleArn": "arn:aws:iam::123456789012:role/reeve", "RoleSessionName": "reeve"}
    assert refused(sts.assume_role, **role)[0] == "AccessDenied"
    made = sts.assume_role(ExternalId="external-1", **role)["Credentials"]
    keys = made["AccessKeyId"], made["SecretAccessKey"]
    assert rest.aws(fake_aws, "sts", keys=keys, token=made["SessionToken"]).get_caller_identity()["Arn"].endswith("assumed-role/reeve/reeve")
    assert refused(rest.aws(fake_aws, keys=keys, token="wrong").describe_regions)[0] == "AuthFailure"
    fake_aws.faults(clock_skew_s=200, token_ms=1)
    made = sts.assume_role(ExternalId="external-1", **role)["Credentials"]
    late = rest.aws(fake_aws, keys=(made["AccessKeyId"], made["SecretAccessKey"]), token=made["SessionToken"])
    fake_aws.faults(clock_skew_s=201)
    assert refused(late.describe_regions)[0] == "RequestExpired"


def test_other_credentials_can_be_demanded(ec2, fake_aws):
    fake_aws.faults(credentials={"AKIDNEW": "newsecret"})
    assert refused(ec2.describe_regions)[0] == "AuthFailure"
    assert rest.aws(fake_aws, keys=("AKIDNEW", "newsecret")).describe_regions()["Regions"]


def test_the_metadata_address_wants_a_token(fake_aws):
    ask = rest.Rest(fake_aws.port)
    path = "/latest/meta-data/iam/security-credentials/"
    assert ask("GET", path)[0] == 401
    assert ask("GET", "/latest/api/token")[0] == 405
    status, token = ask("PUT", "/latest/api/token", **{"X-aws-ec2-metadata-token-ttl-seconds": "60"})
    assert status == 200
    header = {"X-aws-ec2-metadata-token": token.decode()}
    assert ask("GET", path, **header) == (200, b"reeve")
    made = ask("GET", path + "reeve", **header)[1]
    assert rest.aws(fake_aws, keys=(made["AccessKeyId"], made["SecretAccessKey"]), token=made["Token"]).describe_regions()["Regions"]


def test_buckets_refuse_what_is_too_much(ec2, fake_aws):
    fake_aws.faults(buckets=True)
    # More machines than the bucket of resources ever holds, so that no clock decides.
    assert refused(run, ec2, MinCount=1001, MaxCount=1001) == ("RequestLimitExceeded", 503)
    assert run(ec2) and len(fake_aws.alive()) == 1


def test_symbolic_images_are_in_the_parameter_store(ec2, fake_aws):
    found = rest.aws(fake_aws, "ssm").get_parameters(Names=["/aws/service/debian/release/12/latest/amd64", "/none"])
    assert found["Parameters"][0]["Value"] == image_of(ec2) and found["InvalidParameters"] == ["/none"]


def test_user_data_comes_back_in_the_truth(ec2, fake_aws):
    run(ec2, UserData="#!/bin/sh\n")
    assert base64.b64decode(fake_aws.state()["machines"][0]["userData"]) == b"#!/bin/sh\n"


def test_quotas(ec2, fake_aws):
    fake_aws.faults(quota=1)
    run(ec2)
    assert refused(run, ec2) == ("VcpuLimitExceeded", 400)
    assert rest.aws(fake_aws, "service-quotas").get_service_quota(ServiceCode="ec2", QuotaCode="L-1216C47A")["Quota"]["Value"] == 64.0


def test_a_dead_region_does_not_answer_and_the_others_do(fake_aws):
    fake_aws.faults(dead_region=["us-east-1"], dead_ms=1)
    assert rest.aws(fake_aws).describe_instances()["Reservations"] == []
    with pytest.raises(botocore.exceptions.HTTPClientError):
        rest.aws(fake_aws, region="us-east-1").describe_instances()


def test_every_parameter_of_a_url_is_decoded(fake_aws):
    body = "Action=DescribeInstances&Version=2016-11-15&" + urllib.parse.urlencode(
        {"Filter.1.Name": "tag:reeve.cluster_id", "Filter.1.Value.1": "a b+c/ü%"})
    assert Signed(fake_aws)(body)[0] == 200
