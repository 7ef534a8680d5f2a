import { type Format, formatOf, type Marks, readMarks } from './marks.ts'
import { type Judgement, judge, type Report } from './report.ts'

/** What is known of a file. */
export interface Reading extends Judgement {
  readonly marks: Marks
  /** SHA-256 in hex; undefined for a file that is too large to hash in memory. */
  readonly sha256: string | undefined
}

/** Returns the JSON of the C2PA reader. @throws an error that names `JumbfNotFound` for a file without a manifest */
export type ReadManifest = (file: Blob, format: Format, settings: string) => Promise<string>

const MAX_HASHED = 512 << 20
const NO_MANIFEST = /JumbfNotFound|no claim found|ManifestNotFound/i

/** Reads what a file says of itself, and judges it. `anchors` are the certificates of this installation, as PEM. */
export async function readFile(file: Blob, read: ReadManifest, anchors: string): Promise<Reading> {
  const format = await formatOf(file)
  if (!format)
    return { ...judge(undefined), state: 'unreadable', marks: { aigc: undefined, in: undefined }, sha256: undefined }
  const marks = await readMarks(file, format)
  // A configured certificate is listed itself: its root signs for others too.
  const settings = JSON.stringify(anchors ? { trust: { trust_anchors: anchors, allowed_list: anchors } } : {})
  const judged = await read(file, format, settings).then(
    (report): Judgement => judge(JSON.parse(report) as Report),
    (error: unknown): Judgement =>
      NO_MANIFEST.test(String(error))
        ? judge(undefined)
        : { ...judge(undefined), state: 'unreadable', failures: [{ code: String(error).slice(0, 200), part: '' }] },
  )
  return { ...judged, marks, sha256: await hashOf(file) }
}

async function hashOf(file: Blob): Promise<string | undefined> {
  if (file.size > MAX_HASHED) return undefined
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', await file.arrayBuffer()))
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
