"""Creates, follows, lists, downloads and deletes videos with the official client. Prints "done"."""
import sys

import openai

base, key, model = sys.argv[1:]
client = openai.OpenAI(base_url=base, api_key=key)


def refused(kind, call):
    try:
        call()
    except kind as error:
        return error
    raise AssertionError(f"no {kind.__name__}")


made = [client.videos.create_and_poll(model=model, prompt=f"Cat {n}", seconds="6") for n in range(3)]
assert [video.status for video in made] == ["completed"] * 3, made
assert [video.id for video in client.videos.list(limit=1, order="asc")] == [video.id for video in made]
content = client.videos.download_content(made[0].id).read()
assert content[4:8] == b"ftyp", content[:16]
still = client.videos.download_content(made[0].id, variant="thumbnail").read()
assert still[:2] == b"\xff\xd8", still[:4]

error = refused(openai.BadRequestError, lambda: client.videos.create(model=model, prompt="Cat", seconds="7"))
assert error.param == "seconds", error
refused(openai.NotFoundError, lambda: client.videos.retrieve("none"))
refused(openai.NotFoundError, lambda: client.videos.remix(made[0].id, prompt="Dog"))
stranger = openai.OpenAI(base_url=base, api_key="kin_wrong")
refused(openai.AuthenticationError, lambda: stranger.models.list())
assert model in [each.id for each in client.models.list()]

deleted = client.videos.delete(made[0].id)
assert deleted.deleted, deleted
refused(openai.NotFoundError, lambda: client.videos.retrieve(made[0].id))
print("done")
