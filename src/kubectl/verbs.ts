/** The verbs that an API server derives from requests on resources, and those that people take for such. */

/** Verbs of requests on resources. `proxy` is that of the old paths `/api/v1/proxy/…`. */
export const apiVerbs: readonly string[] = [
  'get',
  'list',
  'watch',
  'create',
  'update',
  'patch',
  'delete',
  'deletecollection',
  'proxy',
]

/** Verbs of authorization or admission that no request carries, with what becomes of the request instead. */
const neverSentVerbs: ReadonlyMap<string, string> = new Map([
  ['approve', 'it is an extra permission check on certificatesigningrequests/approval'],
  ['attest', 'it is an extra permission check on signers of cluster trust bundles'],
  ['bind', 'it is an extra permission check when a role binding is written'],
  ['escalate', 'it is an extra permission check when a role is written'],
  ['impersonate', 'it is an extra permission check on the headers of any request'],
  ['sign', 'it is an extra permission check on certificatesigningrequests/status'],
  ['use', 'it is an extra permission check at admission'],
  ['connect', 'admission alone uses it: POST to pods/exec is create, GET is get'],
  ['*', 'a request has one verb; without a request the whole map of the subject is shown'],
])

/** Why no request carries this verb, or undefined for any other verb. */
export function whyNeverSent(verb: string): string | undefined {
  return neverSentVerbs.get(verb)
}

const verbOfMethod: ReadonlyMap<string, string> = new Map([
  ['GET', 'get'],
  ['HEAD', 'get'],
  ['POST', 'create'],
  ['PUT', 'update'],
  ['PATCH', 'patch'],
  ['DELETE', 'delete'],
])

/** The verb of a request on an object by HTTP method, in any case; undefined for methods without one. */
export function apiVerbOfMethod(method: string): string | undefined {
  return verbOfMethod.get(method.toUpperCase())
}

const methodOfVerb: ReadonlyMap<string, string> = new Map([
  ['get', 'GET'],
  ['list', 'GET'],
  ['watch', 'GET'],
  ['create', 'POST'],
  ['update', 'PUT'],
  ['patch', 'PATCH'],
  ['delete', 'DELETE'],
  ['deletecollection', 'DELETE'],
])

/** The HTTP method that gives this verb; a word that is no API verb is taken for a method itself. */
export function methodOfApiVerb(verb: string): string {
  return methodOfVerb.get(verb.toLowerCase()) ?? verb.toUpperCase()
}
