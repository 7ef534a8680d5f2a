import { createMarker, type Marker } from '../../kernel/media/marks/createMarker.ts'
import { createSigner } from '../../kernel/media/marks/signInThread.ts'
import type { Context } from '../context.ts'
import { keptCredential, publishCertificate } from './keptCredential.ts'

/** Opens the marker of this installation's files, which signs with the configured certificate or with its own. */
export function openMarker({ config, pool, clock, log }: Context): Marker & { close(): Promise<void> } {
  const { credential, producer } = config.marks
  const signer = createSigner(async () => {
    const used = credential ?? (await keptCredential(pool, config.secrets.encryption, clock()))
    await publishCertificate(pool, used)
    return used
  })
  return { ...createMarker(signer, producer, config.video.ffmpegPath, log), close: signer.close }
}
