import { readFile } from 'node:fs/promises'
import type { RenderRequest } from '#backend/tasks/videoProvider.port.ts'
import type { SentFrames } from './buildRequest.ts'
import type { Definition, Upload } from './definition.ts'
import { type DefinitionClient, FRAME_NAME, FRAME_TYPE } from './definitionClient.ts'
import { interpretError, isSuccess } from './interpretAnswer.ts'
import { readText } from './readPath.ts'
import type { Answer } from './shapes.ts'

/** Returns the frames of a request as data URIs, or as addresses after an upload. @throws ProviderError, or any error */
export async function sendFrames(
  definition: Definition,
  client: DefinitionClient,
  { firstFrame, lastFrame, references }: RenderRequest,
  signal: AbortSignal,
): Promise<SentFrames> {
  const { dataUpTo, upload } = definition.frames
  const send = async (path: string) => {
    const file = await readFile(path)
    return upload && file.length > dataUpTo
      ? uploadFrame(definition, client, upload, file, signal)
      : `data:${FRAME_TYPE};base64,${file.toString('base64')}`
  }
  return {
    firstFrame: firstFrame && (await send(firstFrame)),
    lastFrame: lastFrame && (await send(lastFrame)),
    references: await Promise.all(references.map(send)),
  }
}

async function uploadFrame(
  definition: Definition,
  client: DefinitionClient,
  upload: Upload,
  file: Buffer,
  signal: AbortSignal,
): Promise<string> {
  const expect = (answer: Answer) => {
    if (!isSuccess(answer)) throw interpretError(definition, answer)
    return answer
  }
  const textAt = ({ body }: Answer, path: string) => {
    const text = readText(body, path)
    if (text === undefined) throw new Error(`${definition.name} answered an upload without ${path}`)
    return text
  }
  if ('form' in upload)
    return textAt(expect(await client.postForm(upload.form, upload.field, file, signal)), upload.file)
  const values = { fileName: FRAME_NAME, contentType: FRAME_TYPE }
  const initiated = expect(await client.query(upload.initiate, values, signal))
  expect(await client.put(textAt(initiated, upload.putTo), file, signal))
  return textAt(initiated, upload.file)
}
