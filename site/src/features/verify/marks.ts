/** Marks that a file has for machines, beside its content credentials. */
export interface Marks {
  /** The `AIGC` field of GB 45438-2025. */
  readonly aigc: { readonly label: string; readonly producer: string; readonly id: string } | undefined
  /** Where the field is: in the index of a film, or in the XMP of a picture. */
  readonly in: 'mp4' | 'xmp' | undefined
}

const FIELD = /\{"Label":[^{}]{0,4000}\}/
const XMP_FIELD = /<TC260:AIGC>([^<]{0,8000})<\/TC260:AIGC>/
const MAX_INDEX = 4 << 20
const MAX_HEAD = 1 << 20
/** Boxes at the top of a file. Others are not looked at. */
const MAX_BOXES = 1_000

const textOf = async (part: Blob) => new TextDecoder().decode(await part.arrayBuffer())

/** Reads the marks of an MP4 or JPEG file. Reads a few megabytes of it at most, whatever its boxes claim. */
export async function readMarks(file: Blob, format: Format): Promise<Marks> {
  const found = format === 'image/jpeg' ? XMP_FIELD.exec(await textOf(file.slice(0, MAX_HEAD)))?.[1] : undefined
  const text = found === undefined ? FIELD.exec((await indexOf(file, format)) ?? '')?.[0] : unescapeXml(found)
  const aigc = fieldOf(text)
  return { aigc, in: aigc && (format === 'image/jpeg' ? 'xmp' : 'mp4') }
}

export type Format = 'video/mp4' | 'image/jpeg'

/** Returns the format of a file by its first bytes; undefined for one that Kinora does not make. */
export async function formatOf(file: Blob): Promise<Format | undefined> {
  const bytes = new Uint8Array(await file.slice(0, 12).arrayBuffer())
  if (bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff) return 'image/jpeg'
  return String.fromCharCode(...bytes.subarray(4, 8)) === 'ftyp' ? 'video/mp4' : undefined
}

/** Returns the text of the index of an MP4 file. */
async function indexOf(file: Blob, format: Format): Promise<string | undefined> {
  if (format !== 'video/mp4') return undefined
  for (let at = 0, boxes = 0; at + 8 <= file.size && boxes < MAX_BOXES; boxes++) {
    const head = new DataView(await file.slice(at, at + 16).arrayBuffer())
    const type = String.fromCharCode(...new Uint8Array(head.buffer, 4, 4))
    const short = head.getUint32(0)
    const size =
      short === 1 && head.byteLength === 16 ? Number(head.getBigUint64(8)) : short === 0 ? file.size - at : short
    if (type === 'moov') return textOf(file.slice(at, Math.min(at + size, at + MAX_INDEX)))
    if (size < 8) return undefined
    at += size
  }
  return undefined
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }
const unescapeXml = (text: string) => text.replace(/&(\w+);/g, (whole, name: string) => ENTITIES[name] ?? whole)

function fieldOf(text: string | undefined): Marks['aigc'] {
  try {
    const { Label: label, ContentProducer: producer, ProduceID: id } = JSON.parse(text ?? '{}')
    return label === undefined
      ? undefined
      : { label: String(label), producer: String(producer ?? ''), id: String(id ?? '') }
  } catch {
    return undefined
  }
}
