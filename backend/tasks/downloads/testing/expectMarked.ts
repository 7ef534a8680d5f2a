import { readFile, writeFile } from 'node:fs/promises'
import { expect } from 'vitest'
import { judge, readAigc, VALID } from '#backend/kernel/media/marks/testing/readMarks.ts'
import { judgeByReference, lacksReference } from '#backend/kernel/media/marks/testing/referenceReader.ts'

/**
 * Expects every file to have valid marks, and a changed byte to be noticed. The reader of the signing package judges, and
 * in the full run the reference reader, too.
 */
export async function expectMarked(shapes: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, file] of Object.entries(shapes)) {
    const content = await readFile(file)
    const isVideo = file.endsWith('.mp4')
    const format = isVideo ? 'video/mp4' : 'image/jpeg'
    const changed = Buffer.from(content)
    changed[changed.length - 40]! ^= 1
    expect.soft(await judge(content, format), name).toMatchObject(VALID)
    expect.soft(await judge(changed, format), `${name}, one byte changed`).toMatchObject({ state: 'Invalid' })
    if (isVideo) expect.soft(await readAigc(file), name).toMatchObject({ Label: '1', ContentProducer: 'Kinora' })
    if (lacksReference) continue
    const changedFile = file.replace(/\.(?=\w+$)/, '.changed.')
    await writeFile(changedFile, changed)
    const [intact, other] = await judgeByReference([file, changedFile])
    expect.soft(intact, `${name}, by the reference reader`).toMatchObject(VALID)
    expect.soft(other, `${name}, one byte changed, by the reference reader`).toMatchObject({ state: 'Invalid' })
  }
}
