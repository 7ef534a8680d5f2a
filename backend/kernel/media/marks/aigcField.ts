/** Maker of a file, as GB 45438-2025 (annex E) names it. */
export interface AigcSource {
  /** Name or registration code of the service that generates the content. */
  readonly producer: string
  /** Identifies the content at the producer. */
  readonly id: string
  /** The field of the engine that the service used, if it wrote one. */
  readonly engine?: string
}

/**
 * Returns the JSON of the `AIGC` metadata field that GB 45438-2025 requires in generated files. Platforms that
 * distribute the file fill in the fields of the propagator.
 * @example aigcField({ producer: 'Kinora', id: taskId })
 */
export const aigcField = ({ producer, id, engine = '' }: AigcSource): string =>
  JSON.stringify({
    // 1: generated, 2: possibly generated, 3: suspected.
    Label: '1',
    ContentProducer: producer,
    ProduceID: id,
    // For the producer's own protection of content and marks.
    ReservedCode1: engine,
    ContentPropagator: '',
    PropagateID: '',
    ReservedCode2: '',
  })

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escapeXml = (text: string) => text.replace(/[&<>"]/g, (sign) => ENTITIES[sign] ?? sign)

/** Returns the field as XMP, in the namespace of the standard's committee. */
export const aigcXmp = (field: string): string =>
  `<?xpacket begin="\uFEFF" id="W5M0MpCehiHzreSzNTczkc9d"?>` +
  `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">` +
  `<rdf:Description rdf:about="" xmlns:TC260="http://www.tc260.org.cn/ns/AIGC/1.0/">` +
  `<TC260:AIGC>${escapeXml(field)}</TC260:AIGC></rdf:Description></rdf:RDF></x:xmpmeta><?xpacket end="w"?>`

const XMP_HEADER = 'http://ns.adobe.com/xap/1.0/\0'
const JFIF = 0xffe0

/** Returns the position after the JFIF header of a JPEG. */
export const afterJfif = (jpeg: Buffer): number => (jpeg.readUInt16BE(2) === JFIF ? 4 + jpeg.readUInt16BE(4) : 2)

/** Inserts XMP into a JPEG, after its JFIF header. @throws RangeError more than 64 kB */
export function insertXmp(jpeg: Buffer, xmp: string): Buffer {
  const body = Buffer.from(XMP_HEADER + xmp)
  const segment = Buffer.from([0xff, 0xe1, 0, 0])
  segment.writeUInt16BE(body.length + 2, 2)
  const at = afterJfif(jpeg)
  return Buffer.concat([jpeg.subarray(0, at), segment, body, jpeg.subarray(at)])
}
