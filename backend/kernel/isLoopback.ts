/** Returns whether a host, as in a URL, is this machine. @example isLoopback('[::1]') // true */
export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host.endsWith('.localhost') || /^(127\.\d+\.\d+\.\d+|::1|\[::1\])$/.test(host)
