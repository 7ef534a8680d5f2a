import { hostileFiles } from '#backend/testing/hostileFiles.ts'
import type { Attacker } from './attacker.ts'

const AT_ONCE = 4
/** Uploads of an account, below the limit of 60 an hour. */
const PER_ACCOUNT = 50

/** Uploads hostile files. Each must be refused for a reason that fits it. */
export async function uploads(attacker: Attacker, count: number, seed: number): Promise<string> {
  const files = hostileFiles(count, seed)
  const worker = async () => {
    let [as, used] = [await attacker.target.newAccount(), 0]
    for (const file of files) {
      if (used++ === PER_ACCOUNT) [as, used] = [await attacker.target.newAccount(), 1]
      const form = new FormData()
      form.append('file', new Blob([file.bytes as BlobPart], { type: file.type }), file.name)
      const { status, code = '' } = await attacker.send({
        method: 'POST',
        path: '/videos/upload-image',
        as,
        body: form,
      })
      if (status !== 503 && !file.codes.includes(code))
        attacker.find(`upload of ${file.kind} (${file.name}): ${status} ${code}`)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  return `${count} files`
}
