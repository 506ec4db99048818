import { stemmer as bulgarian } from '@orama/stemmers/bulgarian';
import { stemmer as danish } from '@orama/stemmers/danish';
import { stemmer as dutch } from '@orama/stemmers/dutch';
import { stemmer as finnish } from '@orama/stemmers/finnish';
import { stemmer as french } from '@orama/stemmers/french';
import { stemmer as german } from '@orama/stemmers/german';
import { stemmer as greek } from '@orama/stemmers/greek';
import { stemmer as hungarian } from '@orama/stemmers/hungarian';
import { stemmer as hindi } from '@orama/stemmers/indian';
import { stemmer as indonesian } from '@orama/stemmers/indonesian';
import { stemmer as irish } from '@orama/stemmers/irish';
import { stemmer as italian } from '@orama/stemmers/italian';
import { stemmer as lithuanian } from '@orama/stemmers/lithuanian';
import { stemmer as nepali } from '@orama/stemmers/nepali';
import { stemmer as norwegian } from '@orama/stemmers/norwegian';
import { stemmer as portuguese } from '@orama/stemmers/portuguese';
import { stemmer as romanian } from '@orama/stemmers/romanian';
import { stemmer as spanish } from '@orama/stemmers/spanish';
import { stemmer as swedish } from '@orama/stemmers/swedish';
import { stemmer as tamil } from '@orama/stemmers/tamil';
import { stemmer as turkish } from '@orama/stemmers/turkish';
import { stemmer as ukrainian } from '@orama/stemmers/ukrainian';

/** Stemmers of the languages of one script. */
export type Stemmers = readonly { script: RegExp; stems: readonly ((word: string) => string)[] }[];

/** Snowball's stemmers (M. Porter and others), by the script that they are for. */
export const snowball: Stemmers = [
  {
    script: /^\p{Script=Latin}+$/u,
    stems: [
      danish,
      dutch,
      finnish,
      french,
      german,
      hungarian,
      indonesian,
      irish,
      italian,
      lithuanian,
      norwegian,
      portuguese,
      romanian,
      spanish,
      swedish,
      turkish,
    ],
  },
  { script: /^\p{Script=Cyrillic}+$/u, stems: [bulgarian, ukrainian] },
  { script: /^\p{Script=Greek}+$/u, stems: [greek] },
  { script: /^[\p{Script=Devanagari}\p{M}]+$/u, stems: [hindi, nepali] },
  { script: /^[\p{Script=Tamil}\p{M}]+$/u, stems: [tamil] },
];
