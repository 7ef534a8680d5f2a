import { withBoxes } from '../mp4Boxes.ts'

/** Marks that an engine has written into a video itself. */
export interface EngineMarks {
  /** Whether the file has a C2PA manifest. */
  readonly hasManifest: boolean
  /** The `AIGC` field as the engine wrote it. */
  readonly field: string | undefined
}

/** Identifies the box of a C2PA manifest (ISO base media file, user type). */
export const C2PA_UUID = Buffer.from('d8fec3d61b0e483c92975828877ec481', 'hex')
const MAX_INDEX_BYTES = 4 << 20
const FIELD = /\{"Label":[^{}]{0,2000}\}/

/**
 * Reads the marks of an MP4 file that an engine delivered. Files of other formats have none.
 * @throws RangeError the header of a box is impossible
 * @example const { hasManifest, field } = await readEngineMarks(file)
 */
export const readEngineMarks = (file: string): Promise<EngineMarks> =>
  withBoxes(file, async ({ boxes, read }) => {
    let [hasManifest, field] = [false, undefined as string | undefined]
    for await (const { type, from, end } of boxes()) {
      if (type === 'uuid') hasManifest ||= (await read(from, from + C2PA_UUID.length)).equals(C2PA_UUID)
      if (type === 'moov') field = FIELD.exec(String(await read(from, Math.min(end, from + MAX_INDEX_BYTES))))?.[0]
    }
    return { hasManifest, field }
  })
