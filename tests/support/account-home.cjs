// Loaded into spawned programs: the account of a test has its own home folder, as HOME says. kairos keeps marks of used permits there.
const os = require('node:os');
const { syncBuiltinESMExports } = require('node:module');

const { userInfo } = os;
os.userInfo = (...options) => {
  const info = userInfo(...options);
  return process.env.HOME ? { ...info, homedir: process.env.HOME } : info;
};
syncBuiltinESMExports();
