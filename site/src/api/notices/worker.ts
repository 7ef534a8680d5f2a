interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL(url: string): string }): { createScriptURL(url: string): string }
}
const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes }

const ADDRESS = '/sw.js'
/** The pages' policy allows this one trusted type, which has one value. */
const url =
  trustedTypes?.createPolicy('service-worker', { createScriptURL: () => ADDRESS }).createScriptURL(ADDRESS) ?? ADDRESS

/** Starts the service worker, unless it runs. */
export const registerWorker = (): Promise<ServiceWorkerRegistration> => navigator.serviceWorker.register(url)
