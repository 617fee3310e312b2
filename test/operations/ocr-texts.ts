/** The first article of the Universal Declaration of Human Rights, by Tesseract's codes, a line of the page for each line. */
export const texts: Readonly<Record<string, string>> = {
  eng: `All human beings are born free and equal in dignity
and rights. They are endowed with reason and
conscience and should act towards one another in a
spirit of brotherhood.`,
  spa: `Todos los seres humanos nacen libres e iguales en
dignidad y derechos y, dotados como están de razón y
conciencia, deben comportarse fraternalmente los unos
con los otros.`,
  fra: `Tous les êtres humains naissent libres et égaux en
dignité et en droits. Ils sont doués de raison et de
conscience et doivent agir les uns envers les autres
dans un esprit de fraternité.`,
  deu: `Alle Menschen sind frei und gleich an Würde und
Rechten geboren. Sie sind mit Vernunft und Gewissen
begabt und sollen einander im Geist der
Brüderlichkeit begegnen.`,
  ita: `Tutti gli esseri umani nascono liberi ed eguali in
dignità e diritti. Essi sono dotati di ragione e di
coscienza e devono agire gli uni verso gli altri in
spirito di fratellanza.`,
  por: `Todos os seres humanos nascem livres e iguais em
dignidade e em direitos. Dotados de razão e de
consciência, devem agir uns para com os outros em
espírito de fraternidade.`,
  nld: `Alle mensen worden vrij en gelijk in waardigheid en
rechten geboren. Zij zijn begiftigd met verstand en
geweten, en behoren zich jegens elkander in een geest
van broederschap te gedragen.`,
  pol: `Wszyscy ludzie rodzą się wolni i równi pod względem
swej godności i swych praw. Są oni obdarzeni rozumem
i sumieniem i powinni postępować wobec innych w duchu
braterstwa.`,
  ces: `Všichni lidé rodí se svobodní a sobě rovní co do
důstojnosti a práv. Jsou nadáni rozumem a svědomím a
mají spolu jednat v duchu bratrství.`,
  swe: `Alla människor är födda fria och lika i värde och
rättigheter. De är utrustade med förnuft och samvete
och bör handla gentemot varandra i en anda av
broderskap.`,
  dan: `Alle mennesker er født frie og lige i værdighed og
rettigheder. De er udstyret med fornuft og
samvittighed, og de bør handle mod hverandre i en
broderskabets ånd.`,
  nor: `Alle mennesker er født frie og med samme menneskeverd
og menneskerettigheter. De er utstyrt med fornuft og
samvittighet og bør handle mot hverandre i
brorskapets ånd.`,
  tur: `Bütün insanlar hür, haysiyet ve haklar bakımından
eşit doğarlar. Akıl ve vicdana sahiptirler ve
birbirlerine karşı kardeşlik zihniyeti ile hareket
etmelidirler.`,
  ukr: `Всі люди народжуються вільними і рівними у своїй
гідності та правах. Вони наділені розумом і совістю і
повинні діяти у відношенні один до одного в дусі
братерства.`,
  ara: `يولد جميع الناس أحرارا متساوين في الكرامة والحقوق
وقد وهبوا عقلا وضميرا وعليهم أن يعامل بعضهم بعضا
بروح الإخاء`,
  hin: `सभी मनुष्यों को गौरव और अधिकारों के मामले में
जन्मजात स्वतन्त्रता और समानता प्राप्त है। उन्हें
बुद्धि और अन्तरात्मा की देन प्राप्त है और परस्पर
उन्हें भाईचारे के भाव से बर्ताव करना चाहिए।`,
  jpn: `すべての人間は、生まれながらにして自由であり、かつ、
尊厳と権利とについて平等である。人間は、理性と良心と
を授けられており、互いに同胞の精神をもって行動しなけ
ればならない。`,
  kor: `모든 인간은 태어날 때부터 자유로우며 그 존엄과
권리에 있어 동등하다. 인간은 천부적으로 이성과
양심을 부여받았으며 서로 형제애의 정신으로
행동하여야 한다.`,
  chi_sim: `人人生而自由，在尊严和权利上一律平等。他们赋有理性
和良心，并应以兄弟关系的精神相对待。`,
  chi_tra: `人人生而自由，在尊嚴和權利上一律平等。他們賦有理性
和良心，並應以兄弟關係的精神相對待。`,
};
