import type { CropEdges } from '#backend/kernel/media/contract.ts'
import { uploadImage } from '#backend/tasks/contract.ts'
import { addressOf, authorized } from './api.ts'
import { ApiError, problemOf } from './apiError.ts'

interface Reply {
  readonly status: number
  readonly body: { readonly image_url: string } | undefined
}

interface UploadOptions {
  /** Part that the server keeps. */
  readonly crop: CropEdges | undefined
  readonly onProgress: (percent: number) => void
  readonly signal: AbortSignal
}

/** Writes a crop as the API reads it. Differences of numbers may be outside by a little. */
const fieldOf = ({ left, top, right, bottom }: CropEdges): string =>
  [left, top, right, bottom].map((edge) => Math.min(1, Math.max(0, edge)).toFixed(6)).join()

/** Uploads with XMLHttpRequest, because fetch reports no upload progress. */
function send(file: Blob, { crop, onProgress, signal }: UploadOptions): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open(uploadImage.method, addressOf(uploadImage.path))
    request.responseType = 'json'
    request.upload.onprogress = (event) => {
      if (event.lengthComputable) onProgress(Math.round((event.loaded / event.total) * 100))
    }
    request.onload = () => resolve({ status: request.status, body: request.response })
    request.onerror = () => reject(new ApiError(0, 'upload_failed'))
    request.onabort = () => reject(new DOMException('aborted', 'AbortError'))
    signal.addEventListener('abort', () => request.abort())
    const form = new FormData()
    if (crop) form.append('crop', fieldOf(crop))
    form.append('file', file)
    request.send(form)
  })
}

/** Uploads a first-frame image, or a part of it, and returns its URL. @throws ApiError */
export async function uploadFirstFrame(file: Blob, options: UploadOptions): Promise<string> {
  const { status, body } = await authorized(() => send(file, options))
  if (status >= 200 && status < 300 && body) return body.image_url
  throw problemOf(status, body as object | undefined)
}
