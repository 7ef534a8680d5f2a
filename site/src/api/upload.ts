import { uploadImage } from '#backend/tasks/contract.ts'
import { addressOf, authorized } from './api.ts'
import { ApiError, problemOf } from './apiError.ts'

interface Reply {
  readonly status: number
  readonly body: { readonly image_url: string } | undefined
}

/** Uploads with XMLHttpRequest, because fetch reports no upload progress. */
function send(file: Blob, onProgress: (percent: number) => void, signal: AbortSignal): Promise<Reply> {
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
    form.append('file', file)
    request.send(form)
  })
}

/** Uploads a first-frame image and returns its URL. Reports progress in percent. @throws ApiError */
export async function uploadFirstFrame(
  file: Blob,
  onProgress: (percent: number) => void,
  signal: AbortSignal,
): Promise<string> {
  const { status, body } = await authorized(() => send(file, onProgress, signal))
  if (status >= 200 && status < 300 && body) return body.image_url
  throw problemOf(status, body as object | undefined)
}
