/**
 * Prefixes that issuers document for their tokens, kept as secret scanners publish them (GitHub's supported patterns, gitleaks).
 * After the prefix come at least 20 letters and digits. To add one: a word here; the test makes a sample of each.
 */
export const TOKEN_PREFIXES: readonly string[] = [
  // code hosting and continuous integration
  ...['glptt-', 'glft-', 'glimt-', 'glagent-', 'gloas-', 'glffct-', 'bkua_', 'rubygems_', 'CLOJARS_'],
  // clouds and hosting
  ...['fo1_', 'nfp_', 'rnd_', 'pul-', 'LTAI', 'sbp_', 'dapi'],
  // operations
  ...['glc_', 'glsa_', 'NRAK-', 'NRJS-', 'sntrys_', 'sntryu_', 'ops_eyJ', 'pnu_', 'phx_', 'AKCp'],
  ...['dp.pt.', 'dp.ct.', 'dp.sa.', 'dp.scim.', 'dp.audit.', 'dt0c01.', 'dt0s01.'],
  // shops and payment
  ...['shpat_', 'shpca_', 'shppa_', 'shpss_', 'EZAK', 'EZTK'],
  // work and mail
  ...['lin_api_', 'lin_oauth_', 'ntn_', 'xkeysib-', 'xsmtpsib-'],
  // models
  ...['gsk_', 'pplx-', 'xai-', 'r8_', 'tgp_v1_', 'api_org_'],
];

/** The same for tokens that hold `_` and `-` as well. Only prefixes that begin no ordinary word. */
export const DASHED_TOKEN_PREFIXES: readonly string[] = [
  ...[
    'glsoat-',
    'CCIPAT_',
    'pscale_tkn_',
    'pscale_pw_',
    'pscale_oauth_',
    'tskey-auth-',
    'tskey-api-',
    'tskey-client-',
  ],
  ...[
    'dp.st.',
    'sq0atp-',
    'sq0csp-',
    'duffel_live_',
    'duffel_test_',
    'figd_',
    'figo_',
    'PMAK-',
    'ATATT3',
    'ATCTT3',
  ],
  ...['fio-u-', 'nvapi-', 'lsv2_pt_', 'lsv2_sk_', 'sk-lf-'],
];
