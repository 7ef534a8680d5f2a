interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL(url: string): string }): { createScriptURL(url: string): string }
}
const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes }

const ADDRESS = '/sw.js'
let registration: Promise<ServiceWorkerRegistration> | undefined

/** Starts the service worker. The pages' policy allows this one trusted type, which has one value. */
export function registerWorker(): Promise<ServiceWorkerRegistration> {
  registration ??= navigator.serviceWorker.register(
    trustedTypes?.createPolicy('service-worker', { createScriptURL: () => ADDRESS }).createScriptURL(ADDRESS) ??
      ADDRESS,
  )
  return registration
}
